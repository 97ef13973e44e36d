"""The first records of a table that continues something: a rematch, or an exported game."""
