"""Doors: the client run by a server for users who have no installation, only a terminal or a browser."""
