"""What each seat sees of a state, and what it may do then: the allow-list of ruling C24."""

from collections.abc import Sequence
from typing import overload

from scoville_shared.games.chilli_chase.cards import DIE
from scoville_shared.games.chilli_chase.reach import Reach, reach
from scoville_shared.games.chilli_chase.state import KEEP, Move, NewScore, State
from scoville_shared.games.chilli_chase.view import Board, View
from scoville_shared.ids import Seat


def seen_by(state: State, seat: Seat | None) -> View:
    """Build the View of `seat`: the open board and its own hand; a spectator sees the board alone."""
    return View(board=state.board, seat=seat, hand=() if seat is None else state.secret.hands[seat])


def moves(view: View) -> Sequence[Move]:
    """List the plays of every card in hand; or, when a change of score is offered, every score there is."""
    board = view.board
    if board.over or view.seat != board.mover:
        return ()
    if board.choosing:
        return Scores(board)
    return [play for _, way in choices(view) for play in way.plays]


def choices(view: View) -> list[tuple[int, Reach]]:
    """List what there is to choose between: each card in hand with each total it can reach (C14)."""
    board = view.board
    cards = sorted(set(view.hand))
    return [(card, way) for card in cards for way in reach(card, board.total, board.options)]


class Scores(Sequence[Move]):
    """Keeping one's Chilli Score, then every number that may replace it, those close to zero first (C18).

    There can be two million of them, so they are counted rather than made: only the items asked for exist.
    """

    def __init__(self, board: Board) -> None:
        self._signs = 1 if board.options.die_scores else 2
        furthest = DIE if board.options.die_scores else board.options.cap
        held = (self._place(score) for score in board.scores if abs(score) <= furthest)
        self._held = sorted(place for place in held if place is not None)
        self._count = self._signs * furthest - len(self._held)

    def __len__(self) -> int:
        return self._count + 1

    @overload
    def __getitem__(self, index: int) -> Move: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Move]: ...
    def __getitem__(self, index: int | slice) -> Move | Sequence[Move]:
        if isinstance(index, slice):
            return [self[item] for item in range(*index.indices(len(self)))]
        item = range(len(self))[index]
        return NewScore(self._free(item - 1)) if item else KEEP

    def _place(self, score: int) -> int | None:
        """Number all scores: 1, 2, 3 … or, with both signs, 1, -1, 2, -2 …; None for one that is not among them."""
        if score < 0:
            return -2 * score - 1 if self._signs == 2 else None
        return self._signs * (score - 1)

    def _free(self, place: int) -> int:
        """Find the score that `place` free ones precede."""
        for held in self._held:
            place += place >= held
        size = place // self._signs + 1
        return -size if place % self._signs else size


def fallback(view: View) -> Move:
    """Play for somebody absent: hit the own score, help nobody else to a point, stay close to the own score."""
    board, seat = view.board, view.board.mover
    if board.choosing:
        return KEEP
    mine = board.scores[seat]

    def merit(choice: tuple[int, Reach]) -> tuple[bool, int]:
        total = choice[1].total
        return total != mine and total in board.scores, abs(total - mine)

    return min(choices(view), key=merit)[1].plays[0]
