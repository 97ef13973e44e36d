"""Joining a server: how others do it, and servers that are found on the local network."""
