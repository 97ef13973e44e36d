"""The table of Dicht dran: drawn by pure functions, shown by one widget."""
