"""Estimate of a password's strength."""

import math
from itertools import pairwise

from scoville_shared.engine.phrases import Phrase

LEAST = 8
"""Length below which every password is weak."""
_KINDS = (("abcdefghijklmnopqrstuvwxyz", 26), ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 26), ("0123456789", 10))
_OTHER = 33
_WORDS = ((36, Phrase("weak")), (52, Phrase("fair")), (72, Phrase("good")))
_BEST = Phrase("strong")


def password_strength(password: str, name: str = "") -> Phrase:
    """Return the strength of a password. Parts of the user's name and repetitions count for less."""
    if len(password) < LEAST or (name and name.casefold() in password.casefold()):
        return _WORDS[0][1]
    bits = _entropy_bits(password)
    return next((word for limit, word in _WORDS if bits < limit), _BEST)


def _entropy_bits(password: str) -> float:
    """Estimate the bits of a password from its kinds of characters and its number of different characters."""
    size = sum(count for letters, count in _KINDS if any(char in letters for char in password))
    known = "".join(letters for letters, _ in _KINDS)
    size += _OTHER * any(char not in known for char in password)
    steps = sum(abs(ord(char) - ord(before)) > 1 for before, char in pairwise(password))
    worth = min(len(password), 2 * len(set(password)), 1 + steps)
    return worth * math.log2(max(size, 2))
