"""Unicode security data: prototypes of confusable characters, and the scripts of characters allowed in identifiers."""

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from pathlib import Path


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
