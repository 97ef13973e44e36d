"""Tools for authors of games."""
