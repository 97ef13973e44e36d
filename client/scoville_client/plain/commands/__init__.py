"""Commands of the line mode, by subject."""
