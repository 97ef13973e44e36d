"""Lobby screen, and the actions that lead to tables."""
