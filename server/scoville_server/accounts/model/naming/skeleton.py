"""Skeletons: names with a common one look alike (UTS #39, section 4), by the security data of Unicode."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final


@cache
def prototypes() -> dict[int, str]:
    """Return the prototype of every character that has another one, as a table for `str.translate`; "" if invisible."""
    return {
        point: "" if name == "-" else "".join(chr(int(part, 16)) for part in name.split())
        for name, ranges in _lines("confusables.txt")
        for points in ranges
        for point in points
    }


def scripts_of(char: str) -> frozenset[str] | None:
    """Return the scripts (ISO 15924 codes) of an allowed character, an empty set if it fits beside all.

    None for a restricted character: it belongs to no living language, or is a variant of another.
    """
    starts, ranges = _allowed()
    points, names = ranges[bisect_right(starts, ord(char)) - 1]
    return names if ord(char) in points else None


@cache
def _allowed() -> tuple[list[int], list[tuple[range, frozenset[str]]]]:
    """Return the ranges of allowed characters in order, with their scripts, and where each begins."""
    found = [(points, frozenset(name.split()) - {"-"}) for name, ranges in _lines("scripts.txt") for points in ranges]
    found.sort(key=lambda each: each[0].start)
    return [points.start for points, _ in found], found


def _lines(file: str) -> Iterator[tuple[str, list[range]]]:
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            name, _, points = line.partition(" =")
            yield name, [_points(part) for part in points.split()]


def _points(written: str) -> range:
    first, _, last = written.partition("-")
    return range(int(first, 16), int(last or first, 16) + 1)


_STROKES: Final = {"0": "o", "1": "l", "|": "l", "i": "l", "m": "rn", "w": "vv"}
"""The prototypes of ASCII after case is ignored: I, l and 1 are one stroke, and so is i as the small form of I.

Unicode's data have `rn` for m, and nothing for w, which two v resemble as closely.
"""

_DRAWN_AS_D: Final = re.compile("c[lI1|]")
"""What resembles a small d: a small c and a stroke. A capital C does not, so Clara is not Dara, though clara is."""

_ESSENTIAL_MARKS: Final = frozenset({0, 6, 7, 8, 9})
"""Combining classes of marks that make another letter: vowel signs, nuktas, voiced kana. Accents have higher ones.

Class 1 are overlays: a short stroke through the last letter is hardly seen.
"""


def skeleton(text: str) -> str:
    """Reduce a text to what a hasty reader sees, whatever its case: without spaces, accents and signs.

    It is the skeleton of UTS #39, and beyond that equates what differs in case, accents and punctuation alone.
    A skeleton is its own skeleton. A text of signs alone keeps them.
    """
    if text.isascii():
        reduced = text.translate(_ascii())
    else:
        reduced = unicodedata.normalize("NFD", unicodedata.normalize("NFKD", text).translate(_SKELETONS))
    return reduced or unicodedata.normalize("NFKC", text)


# Decision 041: up to four looks and no transitive relation, which would equate Hans and Nans by the Greek eta.
def looks_of(name: str) -> tuple[str, ...]:
    """Return the skeletons of a name: as it is written, in another case, and as it is shown if it runs to the left.

    Two names look alike if they have one of them in common. In scripts other than Latin a letter and its other case
    resemble different Latin letters. Small letters that resemble a d together add a variant.
    """
    if name.isascii():
        return tuple(dict.fromkeys((skeleton(name), skeleton(_DRAWN_AS_D.sub("d", name)))))
    shown = unicodedata.normalize("NFKC", name)
    variants = [shown, shown.casefold(), _DRAWN_AS_D.sub("d", _without_accents(shown))]
    if any(unicodedata.bidirectional(char) in {"R", "AL"} for char in shown):
        variants.append(shown[::-1])
    return tuple(dict.fromkeys(map(skeleton, variants)))


def _without_accents(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", text) if not _is_accent(char))


def is_same_name(one: str, other: str) -> bool:
    """Return whether two names are the same but for their case."""
    return fold_name(one) == fold_name(other)


def fold_name(name: str) -> str:
    """Return a name without regard to case and compatibility variants."""
    return unicodedata.normalize("NFKC", name).casefold()


class _Skeletons(dict[int, str]):
    """The skeletons of single characters, for `str.translate`; each is computed once."""

    def __missing__(self, point: int) -> str:
        before, reduced = "", chr(point)
        while reduced != before:
            before, reduced = reduced, "".join(map(_look_of, unicodedata.normalize("NFKD", reduced)))
        self[point] = reduced
        return reduced


_SKELETONS: Final = _Skeletons()


def _look_of(char: str) -> str:
    """Apply the prototype and case folding once; empty for a sign or an accent."""
    if char.isascii():  # most names and all reserved words but for their accents: without loading Unicode's data
        return char.translate(_ascii())
    return "" if _is_accent(char) else _by_prototype(char)


def _is_accent(char: str) -> bool:
    return unicodedata.combining(char) not in _ESSENTIAL_MARKS


def _by_prototype(char: str) -> str:
    drawn = _letters().get(char) or prototypes().get(ord(char), char)
    counting = filter(_is_visible, unicodedata.normalize("NFKD", drawn.casefold()))
    return "".join(counting).translate(_ascii()) or (char if _is_visible(char) else "")


@cache
def _letters() -> dict[str, str]:
    """Return the first letter of every class that has a sign for its prototype, by letter: a sign would be left out."""
    first: dict[str, str] = {}
    found: dict[str, str] = {}
    for point, prototype in sorted(prototypes().items()):
        if chr(point).isalnum() and not any(map(_is_visible, prototype)):
            found[chr(point)] = first.setdefault(prototype, chr(point))
    return found


def _is_visible(char: str) -> bool:
    """Return whether a character is a letter, a digit, or a mark that makes another letter."""
    essential = unicodedata.combining(char) in _ESSENTIAL_MARKS
    return char.isalnum() or (essential and unicodedata.category(char)[0] == "M")


@cache
def _ascii() -> dict[int, str]:
    """Return the table of ASCII: small letters, then their prototypes; signs are left out."""
    small = {point: chr(point).lower() for point in range(0x80)}
    return {point: _STROKES.get(char, char if char.isalnum() else "") for point, char in small.items()}
