"""Handlers of `hello`, `ping` and the methods `account.*`."""
