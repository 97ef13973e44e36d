"""What must hold for every registered game, whatever its rules."""
