"""Reviews of finished games: what every decision gave away, and what was luck."""
