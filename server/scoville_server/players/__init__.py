"""Players: results, careers, ratings and leaderboards."""
