"""Laws that hold for every registered game."""
