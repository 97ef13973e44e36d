"""Guided rounds of the games."""
