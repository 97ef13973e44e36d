"""Reconnecting after a lost connection: the link and its states, its heartbeat, and the back-off."""
