"""The command `scoville doctor`: measures the terminal, chooses, remembers, and prints a table for bug reports."""
