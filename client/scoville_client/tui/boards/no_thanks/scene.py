"""The scene of No Thanks!: the View, the log, the marked answer, a frame of the story."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from scoville_client.tui.boards import scene as base
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.no_thanks.facts import RoundScored
from scoville_shared.games.no_thanks.state import PASS, TAKE, Board, Move, View
from scoville_shared.ids import Seat


class Choice(Struct, frozen=True):
    """The legal moves, none without a decision to make, and the one that Enter chooses: at first to decline.

    While others decide, `early` are the moves that can be chosen ahead, and `ahead` is the one that is.
    """

    moves: tuple[Move, ...] = ()
    marked: Move | None = None
    early: tuple[Move, ...] = ()
    ahead: Move | None = None

    @classmethod
    def between_moves(cls, moves: Sequence[Move]) -> "Choice":
        """Begin a decision with the last move marked: declining where that is legal, which costs a chip at most."""
        return cls(tuple(moves), moves[-1] if moves else None)

    @classmethod
    def ahead_of_turn(cls, view: View, ahead: Move | None) -> "Choice":
        """Offer the moves of a player who waits for a turn with the card that lies there."""
        may = view.seat is not None and view.board.card is not None and not view.board.over
        early: tuple[Move, ...] = ((TAKE, PASS) if view.chips else (TAKE,)) if may else ()
        return cls(early=early, ahead=ahead if ahead in early else None)

    def with_first(self) -> "Choice":
        """Mark the first move."""
        return Choice(self.moves, self.moves[0] if self.moves else None)

    def with_last(self) -> "Choice":
        """Mark the last move."""
        return Choice(self.moves, self.moves[-1] if self.moves else None)


class Tally(NamedTuple):
    """How much of a round's scores is shown: first the points, then the chips and the scores, then the totals."""

    scored: RoundScored
    chips: bool = False
    totals: bool = False


class Frame(NamedTuple):
    """One step of a story: its sentences, and the table at that moment.

    `actor` is the seat that acts, with a `word` in its row; `fresh` is the card that has just come to its place.
    `tally` is set while a round is scored. `steps` is how long it stays, in steps of the story. `chips` fly from its
    actor to the card, or below zero the other way round.
    """

    captions: tuple[Phrase, ...]
    view: View
    steps: float
    actor: Seat | None = None
    word: Phrase | None = None
    fresh: int | None = None
    tally: Tally | None = None
    chips: int = 0

    @property
    def moves(self) -> bool:
        """Whether a card flashes at its new place, points are counted, or chips are on their way."""
        return self.fresh is not None or self.tally is not None or self.chips != 0


class Scene(base.Scene[View, Frame], frozen=True, kw_only=True):
    """Everything that the board draws; `choice` holds the answers that may be given, and the marked one."""

    choice: Choice

    @property
    def shown(self) -> View:
        """The View to draw: the story's during a story."""
        return self.frame.view if self.frame else self.view

    @property
    def board(self) -> Board:
        """The open table to draw."""
        return self.shown.board

    @property
    def order(self) -> Sequence[Seat]:
        """The seats from top to bottom; at the bottom a spectator's point of view."""
        seats = list(map(Seat, range(len(self.board.cards))))
        last = self.status.viewpoint
        return seats if last is None else seats[last + 1 :] + seats[: last + 1]

    @property
    def actor(self) -> Seat | None:
        """The seat whose turn it is, or that acts in the story."""
        if self.frame is not None:
            return self.frame.actor
        return None if self.board.over else self.board.mover

    @property
    def fresh(self) -> int | None:
        """The card that has just come to its place."""
        return self.frame.fresh if self.frame else None
