"""Puzzles of a server."""
