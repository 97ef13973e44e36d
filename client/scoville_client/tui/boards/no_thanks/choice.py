"""Selection between the legal moves, as a value without Textual."""

from collections.abc import Sequence

from msgspec import Struct

from scoville_shared.games.no_thanks.state import Move


class Choice(Struct, frozen=True):
    """The legal moves, none without a decision to make, and the one that Enter chooses: at first to decline."""

    moves: tuple[Move, ...] = ()
    marked: Move | None = None

    @classmethod
    def between(cls, moves: Sequence[Move]) -> "Choice":
        """Begin a decision with the last move marked: declining where that is legal, which costs a chip at most."""
        return cls(tuple(moves), moves[-1] if moves else None)

    def first(self) -> "Choice":
        """Mark the first move."""
        return Choice(self.moves, self.moves[0] if self.moves else None)

    def last(self) -> "Choice":
        """Mark the last move."""
        return Choice(self.moves, self.moves[-1] if self.moves else None)
