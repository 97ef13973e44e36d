"""Watching a table on a television."""
