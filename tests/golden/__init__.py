"""Whole games kept as text: each file is its own input, and what follows from it."""
