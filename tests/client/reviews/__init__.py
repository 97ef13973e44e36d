"""Reviews."""
