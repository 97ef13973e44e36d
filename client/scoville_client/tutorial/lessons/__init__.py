"""The lesson of each game, found by the game's slug."""
