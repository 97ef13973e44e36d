"""The course of a finished game: the points of all players step by step, and the move that cost a player the most."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat

Turns = Sequence[Sequence[Any]]
"""The facts of every move of a game, in order."""


class Costly(NamedTuple):
    """A move that cost points or cards: its number from 1, its cost, and what happened, told to its player."""

    move: int
    cost: int
    what: Phrase


class Course(NamedTuple):
    """The points of all seats after each step of a game, the user's costliest move, and why seats have their points.

    The reasons are those of a game whose text does not count its points (`Text.count_points`).
    """

    points: Sequence[Sequence[int]] = ()
    costliest: Costly | None = None
    reasons: Sequence[Phrase] = ()


def find_costliest(moves: Iterable[Costly]) -> Costly | None:
    """Return the move that cost the most, the latest of several; None if nothing cost anything."""
    return max((move for move in moves if move.cost > 0), key=lambda move: (move.cost, move.move), default=None)


def number_facts(turns: Turns) -> Iterator[tuple[int, Any]]:
    """Yield every fact with the number of its move."""
    for number, facts in enumerate(turns, 1):
        for fact in facts:
            yield number, fact


def with_points(points: Sequence[int], seat: Seat, value: int) -> tuple[int, ...]:
    """Return the points with those of one seat replaced."""
    return (*points[:seat], value, *points[seat + 1 :])
