# ruff: noqa: RUF001 - letters that look like others are what this page is about
"""Confusable names: the skeleton of a name, without what people overlook."""

import unicodedata
from typing import Final

_LATIN_TWINS: Final = {
    "а": "a", "в": "b", "с": "c", "ԁ": "d", "е": "e", "һ": "h", "і": "i", "ј": "j", "к": "k", "ӏ": "l", "м": "m",
    "о": "o", "р": "p", "ԛ": "q", "ѕ": "s", "т": "t", "ѵ": "v", "ԝ": "w", "х": "x", "у": "y", "н": "h",
    "α": "a", "β": "b", "ε": "e", "η": "n", "ι": "i", "κ": "k", "μ": "m", "ν": "v", "ο": "o", "ρ": "p", "τ": "t",
    "υ": "u", "χ": "x", "ζ": "z", "γ": "y", "ı": "i", "ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ɑ": "a", "ɡ": "g",
}  # fmt: skip
"""Letters of other alphabets, and some with strokes, with the Latin letter that one of their cases resembles."""

_ALIKE: Final = str.maketrans({**_LATIN_TWINS, "0": "o", "1": "l", "|": "l", "i": "l"})
"""In many fonts 1, l and a capital i are one stroke."""

_ACCENTS: Final = range(0x300, 0x370)


def skeleton(name: str) -> str:
    """Reduce a cleaned name to what a hasty reader sees; names with the same skeleton are confusable.

    Only accents of European scripts are dropped: the vowel signs of others make other names.
    """
    plain = unicodedata.normalize("NFKC", name).casefold()
    letters = (char for char in unicodedata.normalize("NFD", plain) if ord(char) not in _ACCENTS)
    drawn = "".join(letters).translate(_ALIKE)
    return "".join(char for char in drawn if char.isalnum() or unicodedata.category(char)[0] == "M") or plain
