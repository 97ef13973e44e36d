"""Doors: programs that host the clients of many users and say who they are."""
