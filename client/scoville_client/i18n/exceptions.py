"""Errors whose text is a sentence for the user."""


class Fault(Exception):
    """An error that the user can correct: a typed text, a key, a file."""
