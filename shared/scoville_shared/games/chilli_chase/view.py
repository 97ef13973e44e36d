"""What a seat of Chilli Chase may know: the public board, and its own hand."""

from msgspec import Struct

from scoville_shared.games.chilli_chase.options import Options
from scoville_shared.ids import Seat


class Board(Struct, frozen=True, gc=False, kw_only=True):
    """Everything that lies open on the table, by seat where it is a tuple of the players'.

    `turn` counts turns from 1; `mover` is the seat whose turn it is, and `choosing` tells that it has hit an
    opponent's score and may change its own. `total` is the running total, `hot` the cards of the Hot Pile from the
    bottom to the top. `deck` and `hands` are sizes; `recycled` counts how often the Hot Pile became the deck.
    `scores` are the Chilli Scores, `points` the points won.
    """

    options: Options
    dealer: Seat
    turn: int
    mover: Seat
    choosing: bool
    total: int
    hot: tuple[int, ...]
    deck: int
    recycled: int
    hands: tuple[int, ...]
    scores: tuple[int, ...]
    points: tuple[int, ...]
    over: bool

    def holder(self, number: int) -> Seat | None:
        """Find the seat whose Chilli Score `number` is."""
        return Seat(self.scores.index(number)) if number in self.scores else None


class View(Struct, frozen=True, gc=False, kw_only=True):
    """What one seat sees: the board and its sorted `hand`; `seat` is None for a spectator, whose hand is empty."""

    board: Board
    seat: Seat | None
    hand: tuple[int, ...]
