"""Chilli Scores: which new one is legal after an opponent's has been hit, and all of them as a sequence (C18)."""

from collections.abc import Sequence
from typing import overload

from scoville_shared.engine.contract import Refusal
from scoville_shared.games.chilli_chase.state import DIE, KEEP, Board, Move, NewScore, Reason


def check_score(board: Board, score: int) -> Refusal | None:
    """Judge a new Chilli Score: a whole number other than zero, within the cap, that nobody holds (C18)."""
    if board.options.die_scores and not 1 <= score <= DIE:
        return Refusal(Reason.SCORE_NOT_ON_DIE, {"most": DIE})
    if score == 0:
        return Refusal(Reason.SCORE_ZERO)
    if abs(score) > board.options.cap:
        return Refusal(Reason.SCORE_TOO_BIG, {"cap": board.options.cap})
    holder = board.find_holder(score)
    return None if holder is None else Refusal(Reason.SCORE_TAKEN, {"score": score, "holder": holder})


class Scores(Sequence[Move]):
    """Keeping one's Chilli Score, then every number that may replace it, those close to zero first (C18).

    There can be two million of them, so they are counted rather than made: only the items asked for exist.
    """

    def __init__(self, board: Board) -> None:
        self._signs = 1 if board.options.die_scores else 2
        furthest = DIE if board.options.die_scores else board.options.cap
        held = (self._place_of(score) for score in board.scores if abs(score) <= furthest)
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
        return NewScore(self._free_number(item - 1)) if item else KEEP

    def _place_of(self, score: int) -> int | None:
        """Number all scores: 1, 2, 3 … or, with both signs, 1, -1, 2, -2 …; None for one that is not among them."""
        if score < 0:
            return -2 * score - 1 if self._signs == 2 else None
        return self._signs * (score - 1)

    def _free_number(self, place: int) -> int:
        """Find the score that `place` free ones precede."""
        # In ascending order: each held score up to here moves the place on by one.
        for held in self._held:
            place += place >= held
        size = place // self._signs + 1
        return -size if place % self._signs else size
