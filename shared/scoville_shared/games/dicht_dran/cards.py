"""The hundred number cards and the peppers on them (A2)."""

from functools import cache
from pathlib import Path
from typing import Annotated

from msgspec import Meta

Peppers = Annotated[int, Meta(ge=1, le=3)]
PepperTable = Annotated[tuple[Peppers, ...], Meta(min_length=100, max_length=100)]

LOWEST, HIGHEST = 1, 100
"""The two cards that always lie in the circle at first, opposite each other; they never come into a hand."""

DECK = tuple(range(LOWEST + 1, HIGHEST))
"""The cards that are shuffled, ascending."""

BY_CARD = (0,)
"""The filler before a pepper table, by which a card's number is its index."""


class PepperTableError(ValueError):
    """Invalid file of peppers; the message names the line and what is expected."""


def read_peppers(text: str) -> PepperTable:
    """Read the peppers of the cards 1 to 100 from a file's text: 100 digits 1, 2 or 3; # starts a comment.

    Raises PepperTableError, naming the line.
    """
    peppers: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        for word in line.partition("#")[0].split():
            if word not in {"1", "2", "3"}:
                raise PepperTableError(f"line {number}: a card has 1, 2 or 3 peppers, not {word!r}")
            peppers.append(int(word))
    if len(peppers) != HIGHEST:
        raise PepperTableError(
            f"there are {len(peppers)} cards; the peppers of all {HIGHEST} are needed, from 1 to 100"
        )
    return tuple(peppers)


BUILT_IN = read_peppers(Path(__file__).with_name("peppers.txt").read_text(encoding="utf-8"))
"""The table that is played when a host gives no other."""


@cache
def peppers_by_card(table: PepperTable | None) -> tuple[int, ...]:
    """Return the peppers of every card, indexed by its number; `table` None is the built-in one."""
    return BY_CARD + (BUILT_IN if table is None else table)
