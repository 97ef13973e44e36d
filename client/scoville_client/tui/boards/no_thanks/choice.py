"""Selection between the legal moves, as a value without Textual."""

from collections.abc import Sequence

from msgspec import Struct

from scoville_shared.games.no_thanks.state import PASS, TAKE, Move, View


class Choice(Struct, frozen=True):
    """The legal moves, none without a decision to make, and the one that Enter chooses: at first to decline.

    While others decide, `early` are the moves that can be chosen ahead, and `ahead` is the one that is.
    """

    moves: tuple[Move, ...] = ()
    marked: Move | None = None
    early: tuple[Move, ...] = ()
    ahead: Move | None = None

    @classmethod
    def between(cls, moves: Sequence[Move]) -> "Choice":
        """Begin a decision with the last move marked: declining where that is legal, which costs a chip at most."""
        return cls(tuple(moves), moves[-1] if moves else None)

    @classmethod
    def waiting(cls, view: View, ahead: Move | None) -> "Choice":
        """Offer the moves of a player who waits for a turn with the card that lies there."""
        may = view.seat is not None and view.board.card is not None and not view.board.over
        early: tuple[Move, ...] = ((TAKE, PASS) if view.chips else (TAKE,)) if may else ()
        return cls(early=early, ahead=ahead if ahead in early else None)

    def first(self) -> "Choice":
        """Mark the first move."""
        return Choice(self.moves, self.moves[0] if self.moves else None)

    def last(self) -> "Choice":
        """Mark the last move."""
        return Choice(self.moves, self.moves[-1] if self.moves else None)
