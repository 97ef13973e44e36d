"""The table of Chilli Chase: drawn by pure functions, shown by one widget."""
