"""Observers of tables that act by time: idle timeouts, reconnect grace and rematches."""
