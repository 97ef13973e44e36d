"""Screens of the daily deal."""
