"""How hard a password is to guess, in a word."""

import math
from itertools import pairwise

from scoville_shared.engine.phrases import Phrase

LEAST = 8
"""Characters below which a password is weak whatever it is made of."""
_KINDS = (("abcdefghijklmnopqrstuvwxyz", 26), ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 26), ("0123456789", 10))
_OTHER = 33
_WORDS = ((36, Phrase("weak")), (52, Phrase("fair")), (72, Phrase("good")))
_BEST = Phrase("strong")


def strength(password: str, name: str = "") -> Phrase:
    """Say how strong a password is; what contains the name or repeats itself counts for less."""
    if len(password) < LEAST or (name and name.casefold() in password.casefold()):
        return _WORDS[0][1]
    bits = _bits(password)
    return next((word for limit, word in _WORDS if bits < limit), _BEST)


def _bits(password: str) -> float:
    """Estimate the bits of a password: by the kinds of its characters, and by how many of them differ."""
    size = sum(count for letters, count in _KINDS if any(char in letters for char in password))
    known = "".join(letters for letters, _ in _KINDS)
    size += _OTHER * any(char not in known for char in password)
    steps = sum(abs(ord(char) - ord(before)) > 1 for before, char in pairwise(password))
    worth = min(len(password), 2 * len(set(password)), 1 + steps)
    return worth * math.log2(max(size, 2))
