"""Bots: each takes a View and returns a move, and knows no more than that View."""
