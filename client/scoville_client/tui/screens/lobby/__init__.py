"""Lobby."""
