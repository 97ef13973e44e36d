"""Bans as pure data."""
