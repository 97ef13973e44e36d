"""What went wrong, as a sentence for the person."""


class Fault(Exception):
    """Something that the person can put right: what was typed, a key, a file. Its text is the sentence for them."""
