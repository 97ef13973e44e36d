"""The pieces that screens arrange."""
