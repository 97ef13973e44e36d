"""The course of a game of Chilli Chase: the points turn by turn."""

from collections.abc import Iterator

from scoville_client.tui.boards.course import Costly, Course, Turns, changed, costliest, numbered, said
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.facts import Played, PointScored
from scoville_shared.ids import Seat


def course(turns: Turns, seats: int, seat: Seat | None) -> Course:
    """Return the points after each card, and the user's last card that made a point for somebody else."""
    return Course(list(_points(turns, seats)), costliest(_given(turns, seat)))


def _points(turns: Turns, seats: int) -> Iterator[tuple[int, ...]]:
    points: tuple[int, ...] = (0,) * seats
    yield points
    for facts in turns:
        for fact in facts:
            if isinstance(fact, PointScored):
                points = changed(points, fact.seat, fact.points)
        if any(isinstance(fact, Played) for fact in facts):
            yield points


def _given(turns: Turns, seat: Seat | None) -> Iterator[Costly]:
    for number, fact in numbered(turns):
        if isinstance(fact, PointScored) and fact.by == seat != fact.seat:
            yield Costly(number, 1, said(GAME.text.fact(fact)))
