"""Results, careers and ratings as pure data."""
