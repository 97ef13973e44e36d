"""What a law demands, and the error of a game that breaks it."""


class LawBroken(AssertionError):
    """A game breaks a law; the message says how."""


def demand(met: bool, otherwise: str) -> None:
    """Raise LawBroken with a sentence if a demand is not met."""
    if not met:
        raise LawBroken(otherwise)
