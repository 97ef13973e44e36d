"""The course of a game of Dicht dran: won peppers round by round, corrected when a cycle is scored."""

from collections.abc import Iterator

from scoville_client.tui.boards.course import Costly, Course, Turns, changed, costliest, numbered, said
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.facts import CycleScored, LaidAway, TargetWon
from scoville_shared.ids import Seat


def course(turns: Turns, seats: int, seat: Seat | None) -> Course:
    """Return the points after each round, and the user's card that drew the most cards."""
    return Course(list(_points(turns, seats)), costliest(_paid(turns, seat)))


def _points(turns: Turns, seats: int) -> Iterator[tuple[int, ...]]:
    points: tuple[int, ...] = (0,) * seats
    yield points
    for _, fact in numbered(turns):
        if isinstance(fact, TargetWon):
            points = changed(points, fact.seat, points[fact.seat] + fact.peppers)
            yield points
        elif isinstance(fact, CycleScored):
            points = fact.totals
            yield points


def _paid(turns: Turns, seat: Seat | None) -> Iterator[Costly]:
    for number, fact in numbered(turns):
        if isinstance(fact, LaidAway) and fact.seat == seat:
            yield Costly(number, fact.peppers, said(GAME.text.fact(fact)))
