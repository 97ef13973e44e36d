"""Cleaning of decoded data from a server or a file, before any part of a client reads them.

One place for all types: it walks whatever was decoded, with the plain data of Views, facts and errors, so that a new
field needs no care of its own.
"""

from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

from scoville_shared.text import clean_text, is_clean

DEEPEST = 32
"""Most levels of maps and arrays in each other; ours have eight."""
LONGEST_TEXT = 1_000
"""Characters of a text; longer ones are cut."""


_NO_TEXT = frozenset({int, bool, float, type(None), bytes})


class Excessive(ValueError):
    """Data that are nested too deeply."""


def is_harmless(value: Any, longest: int = LONGEST_TEXT) -> bool:
    """Whether every text in a value is clean and has at most `longest` characters. Raises Excessive."""
    level = [value]
    texts = set[str]()  # many are the same: each is checked once
    for _ in range(DEEPEST):
        below: list[Any] = []
        for item in level:
            kind = type(item)
            if kind in _NO_TEXT:
                continue
            if kind is str:
                texts.add(item)
            elif kind is list or kind is tuple:
                below += item
            elif isinstance(item, Struct):
                below += astuple(item)
            elif kind is dict:
                below += item
                below += item.values()
        if not below:
            return all(len(text) <= longest and is_clean(text) for text in texts)
        level = below
    raise Excessive("it is nested too deeply")


def clean_plain(plain: Any, longest: int = LONGEST_TEXT) -> Any:
    """Clean every text of plain data, the keys of maps too, and cut it after `longest` characters."""
    return _clean_value(plain, longest, DEEPEST)


def _clean_value(plain: Any, longest: int, depth: int) -> Any:
    if isinstance(plain, str):
        return (
            plain if len(plain) <= longest and is_clean(plain) else _cut_text(clean_text(plain[: longest + 1]), longest)
        )
    if isinstance(plain, list | dict) and not depth:
        raise Excessive("it is nested too deeply")
    if isinstance(plain, list):
        return [_clean_value(item, longest, depth - 1) for item in plain]
    if isinstance(plain, dict):
        return {_clean_value(key, longest, 0): _clean_value(item, longest, depth - 1) for key, item in plain.items()}
    return plain


def _cut_text(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
