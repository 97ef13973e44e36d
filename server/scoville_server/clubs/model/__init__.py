"""Clubs as pure data."""
