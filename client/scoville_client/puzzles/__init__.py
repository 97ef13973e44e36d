"""Puzzles for a player: practice in this client, and puzzles of a server."""
