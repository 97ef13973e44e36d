"""Clubs: lasting groups of users with a chat of their own, who call each other to their tables."""
