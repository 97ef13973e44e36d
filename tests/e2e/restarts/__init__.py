"""Restarts of a real server under play: what each player waits for, and whether anything acknowledged is lost."""
