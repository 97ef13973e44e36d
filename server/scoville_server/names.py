"""What people are called: cleaned once, at the edge, so that no name can disturb another person's screen."""

import unicodedata
from collections.abc import Callable, Collection, Iterator
from itertools import count, islice

LONGEST = 24
"""Characters of a name, so that five of them fit one line of a table; the wire takes no longer ones."""

_MOST_MARKS = 2
"""Accents on one letter: what living languages need, too few to climb into the line above."""

_UNSURE_WIDTH = {"So"}
"""The category of emoji, whose width no two terminals agree on."""

_BLANK = "\u115f\u1160\u3164\uffa0"
"""Letters by name, nothing to see: a name of these alone would be no name."""

_FRIENDLY = (
    "Paprika", "Cayenne", "Habanero", "Serrano", "Poblano", "Chipotle", "Ancho", "Piquin",
    "Tabasco", "Rocoto", "Aji", "Pimento", "Padron", "Scotch", "Tepin", "Guindilla",
)  # fmt: skip
_BOTS = ("Ada", "Emmy", "Alan", "Grace", "Kurt", "Sofia", "Blaise", "Hedy", "Niels", "Lise")


def clean(name: str) -> str:
    """Drop what could move a cursor, turn the writing direction or hide, and trim to 24 characters."""
    visible = "".join(" " if char.isspace() else char for char in name if char.isspace() or _harmless(char))
    letters = _few_marks(unicodedata.normalize("NFC", visible))
    return " ".join("".join(letters).split())[:LONGEST].rstrip()


def free_name(wanted: str, taken: Callable[[str], bool]) -> str:
    """Find a name for somebody who asked for `wanted` (cleaned; empty for a friendly one) that is not taken."""
    candidates = _numbered(wanted) if wanted else _rounds(_FRIENDLY, "{}")
    return next(name for name in candidates if not taken(name))


def bot_names(number: int, taken: Collection[str]) -> list[str]:
    """Name that many bots, none like somebody at the table; always the same for the same table."""
    free = (name for name in _rounds(_BOTS, "Bot {}") if name not in taken)
    return list(islice(free, number))


def _harmless(char: str) -> bool:
    category = unicodedata.category(char)
    hidden = char in _BLANK or unicodedata.name(char, "").startswith("VARIATION SELECTOR")
    return category[0] in "LMNPS" and category not in _UNSURE_WIDTH and not hidden


def _few_marks(text: str) -> Iterator[str]:
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char)[0] == "M" else 0
        if marks <= _MOST_MARKS:
            yield char


def _numbered(name: str) -> Iterator[str]:
    yield name
    for number in count(2):
        tail = f" {number}"
        yield name[: LONGEST - len(tail)].rstrip() + tail


def _rounds(names: tuple[str, ...], form: str) -> Iterator[str]:
    for lap in count(1):
        for name in names:
            yield form.format(name) if lap == 1 else f"{form.format(name)} {lap}"
