"""The table of No Thanks!: drawn by pure functions, shown by one widget."""
