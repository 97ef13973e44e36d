"""Puzzles: one each day and others by rating, each attempted once."""
