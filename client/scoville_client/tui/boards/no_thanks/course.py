"""The course of a game of No Thanks!: the points of the cards, card by card, and the scores of the rounds."""

from collections.abc import Iterator

from scoville_client.tui.boards.course import Costly, Course, Turns, changed, costliest, numbered
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.facts import RoundScored, Took
from scoville_shared.ids import Seat


def course(turns: Turns, seats: int, seat: Seat | None) -> Course:
    """Return the points after each card that was taken, and the user's card that added the most, its chips deducted."""
    return Course(list(_points(turns, seats)), costliest(_taken(turns, seat)))


def _points(turns: Turns, seats: int) -> Iterator[tuple[int, ...]]:
    before: tuple[int, ...] = (0,) * seats
    points = before
    yield points
    for _, fact in numbered(turns):
        if isinstance(fact, Took):
            points = changed(points, fact.seat, before[fact.seat] + fact.points)
            yield points
        elif isinstance(fact, RoundScored):
            points = before = fact.totals
            yield points


def _taken(turns: Turns, seat: Seat | None) -> Iterator[Costly]:
    points = 0
    for number, fact in numbered(turns):
        if isinstance(fact, Took) and fact.seat == seat:
            yield Costly(number, fact.points - points - fact.chips, GAME.text.fact(fact))
            points = fact.points
        elif isinstance(fact, RoundScored):
            points = 0
