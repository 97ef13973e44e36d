"""What both ends run on, below them: each is here once, and none knows a game."""
