"""Screen of puzzles."""
