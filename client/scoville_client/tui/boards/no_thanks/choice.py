"""Selection between the legal moves, as a value without Textual."""

from collections.abc import Sequence

from msgspec import Struct

from scoville_shared.games.no_thanks.state import Move


class Choice(Struct, frozen=True):
    """The legal moves, none without a decision to make, and the one that is marked.

    With a choice nothing is marked at first, so that a key that was meant for the story decides nothing.
    """

    moves: tuple[Move, ...] = ()
    marked: Move | None = None

    @classmethod
    def between(cls, moves: Sequence[Move]) -> "Choice":
        """Begin a decision; the only move is marked at once."""
        return cls(tuple(moves), moves[0] if len(moves) == 1 else None)

    def first(self) -> "Choice":
        """Mark the first move."""
        return Choice(self.moves, self.moves[0] if self.moves else None)

    def last(self) -> "Choice":
        """Mark the last move."""
        return Choice(self.moves, self.moves[-1] if self.moves else None)
