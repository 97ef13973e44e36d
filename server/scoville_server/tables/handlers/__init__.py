"""Handlers of the methods `table.*`."""
