"""Unicode security data: prototypes of confusable characters, and the scripts of characters allowed in identifiers."""

from collections.abc import Iterator
from functools import cache
from importlib import resources


@cache
def prototypes() -> dict[int, str]:
    """Return the prototype of every character that has another one, as a table for `str.translate`; "" if invisible."""
    return {
        point: "" if name == "-" else "".join(chr(int(part, 16)) for part in name.split())
        for name, points in _lines("confusables.txt")
        for point in points
    }


@cache
def scripts() -> dict[int, frozenset[str]]:
    """Return the scripts (ISO 15924 codes) of each allowed character; an empty set for one that fits beside all.

    Characters that are missing are restricted: they belong to no living language, or are variants of others.
    """
    sets = ((frozenset(name.split()) - {"-"}, points) for name, points in _lines("scripts.txt"))
    return {point: names for names, points in sets for point in points}


def _lines(file: str) -> Iterator[tuple[str, list[int]]]:
    text = resources.files(__package__).joinpath(file).read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            name, _, points = line.partition(" =")
            yield name, [point for part in points.split() for point in _points(part)]


def _points(written: str) -> range:
    first, _, last = written.partition("-")
    return range(int(first, 16), int(last or first, 16) + 1)
