"""The story of a turn, step by step: the card and its formula, who gets a point, a change of score.

Pure: the View before and the facts go in, the frames that the board plays come out.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from scoville_client.session.table.log import LogEntry
from scoville_client.tui.boards.chilli_chase import words
from scoville_client.tui.boards.chilli_chase.scene import Called, Frame
from scoville_client.tui.boards.course import (
    Costly,
    Course,
    Turns,
    find_costliest,
    logged_phrase,
    number_facts,
    with_points,
)
from scoville_shared.engine.phrases import Who
from scoville_shared.engine.tuples import with_item, without_item
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.arithmetic import write_call
from scoville_shared.games.chilli_chase.facts import (
    AnyFact,
    Drew,
    Played,
    PointScored,
    Recycled,
    ScoreChanged,
    ScoreKept,
    ScoreOffered,
)
from scoville_shared.games.chilli_chase.state import Board, Left, Op, Play, View
from scoville_shared.ids import Seat

_ROLL_STAYS = 0.6
_POINT_STAYS = 1.5
_OPENING_STAYS = 2.0
_SEAT = Seat(0)
_TOLD = (Played, PointScored, ScoreChanged, ScoreKept, Recycled)
_KNOWN = (Played, ScoreChanged, ScoreKept)
"""Facts of the user's own moves that have no frame."""


class _Now(NamedTuple):
    """The state of a story between two frames."""

    board: Board
    hand: tuple[int, ...]
    called: Called | None
    hit: Seat | None = None
    before: int | None = None


def animate_event(before: View, facts: Sequence[AnyFact], how: Called | None, *, watched: bool = False) -> list[Frame]:
    """Return the frames of an event; `how` is how the total before it came about.

    Of the user's own moves it shows only the outcome, unless the user has only `watched`.
    """
    return list(_event_frames(before, facts, how, watched=watched))


def summarize_event(
    before: View, facts: Sequence[AnyFact], how: Called | None, *, watched: bool = False
) -> list[Frame]:
    """Return the last frame only."""
    return animate_event(before, facts, how, watched=watched)[-1:]


def opening_frames(view: View) -> list[Frame]:
    """Return a game's first frames: the dice, clockwise from the dealer's left (C3), and the opening card."""
    board = view.board
    seats = len(board.scores)
    order = tuple(Seat((board.dealer + place) % seats) for place in range(1, seats + 1))
    rolls = [
        Frame((words.ROLLING,), board, view.hand, rolled=order[:count], steps=_ROLL_STAYS)
        for count in range(1, seats + 1)
    ]
    return [*rolls, Frame((words.announce_beginning(board),), board, view.hand, rolled=order, steps=_OPENING_STAYS)]


def last_called(log: Sequence[LogEntry]) -> Called | None:
    """Find in the log how the total came about."""
    for line in reversed(log):
        fields = line.phrase.fields
        who, formula = fields.get("who"), fields.get("formula")
        if line.phrase.text == _PLAYED and isinstance(who, Who) and isinstance(formula, str):
            return Called(who.seat, formula)
    return None


def _event_frames(before: View, facts: Sequence[AnyFact], how: Called | None, *, watched: bool) -> Iterator[Frame]:
    now = _Now(before.board, before.hand, how)
    mine = before.seat == before.board.mover
    captions = []
    for fact in facts:
        now = _state_after(now, fact, mine=mine)
        phrase = GAME.text.describe_fact(fact)
        if phrase is None or not isinstance(fact, _TOLD):
            continue
        captions.append(phrase)
        if watched or not (mine and isinstance(fact, _KNOWN)):
            steps = _POINT_STAYS if isinstance(fact, PointScored) else 1.0
            came = now.before if isinstance(fact, Played) else None
            yield Frame(tuple(captions), now.board, now.hand, now.called, now.hit, steps=steps, before=came)


def _state_after(now: _Now, fact: AnyFact, *, mine: bool) -> _Now:
    board = now.board
    match fact:
        case Played():
            return _state_after_card(now, fact, mine=mine)
        case PointScored(seat=seat, points=points):
            return now._replace(board=replace(board, points=with_item(board.points, seat, points)), hit=seat)
        case ScoreOffered():
            return now._replace(board=replace(board, choosing=True))
        case ScoreChanged(seat=seat, new=new):
            return now._replace(board=replace(board, choosing=False, scores=with_item(board.scores, seat, new)))
        case Recycled(count=count):
            return now._replace(board=replace(board, hot=board.hot[-1:], deck=count))
        case Drew(left=left):
            return now._replace(board=replace(board, deck=left))
        case _:
            return now


def _state_after_card(now: _Now, fact: Played, *, mine: bool) -> _Now:
    formula = write_call(Play(fact.card, fact.op, fact.left), fact.before, fact.total)
    board = replace(now.board, total=fact.total, hot=(*now.board.hot, fact.card))
    hand = without_item(now.hand, fact.card) if mine else now.hand
    return _Now(board, hand, Called(fact.seat, formula), before=fact.before)


def _text_of(fact: AnyFact) -> str:
    phrase = GAME.text.describe_fact(fact)
    assert phrase is not None, "the log has this fact"
    return phrase.text


_PLAYED = _text_of(Played(_SEAT, 1, Op.PLUS, Left.TOTAL, 1, 2))


def make_course(turns: Turns, seats: int, seat: Seat | None) -> Course:
    """Return the points after each card, and the user's last card that made a point for another player."""
    return Course(list(_points_by_step(turns, seats)), find_costliest(_points_given(turns, seat)))


def _points_by_step(turns: Turns, seats: int) -> Iterator[tuple[int, ...]]:
    points: tuple[int, ...] = (0,) * seats
    yield points
    for facts in turns:
        for fact in facts:
            if isinstance(fact, PointScored):
                points = with_points(points, fact.seat, fact.points)
        if any(isinstance(fact, Played) for fact in facts):
            yield points


def _points_given(turns: Turns, seat: Seat | None) -> Iterator[Costly]:
    for number, fact in number_facts(turns):
        if isinstance(fact, PointScored) and fact.by == seat != fact.seat:
            yield Costly(number, 1, logged_phrase(GAME.text.describe_fact(fact)))
