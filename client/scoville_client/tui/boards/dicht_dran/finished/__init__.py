"""What is shown of a finished game."""
