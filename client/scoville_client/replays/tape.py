"""Tape: a game that is stepped through, forwards and backwards."""

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right

from scoville_client.replays.reel import Kind
from scoville_client.session.changes import EventApplied
from scoville_client.session.table.table import AtTable


class Tape(ABC):
    """Steps through a game. `at` is the table at `position`; it has no players, a point of view is only watched.

    `parts` are the positions at which a part of the game begins, such as a round; `kind` says which. `moves` is the
    position after the last move, `last` that of the result if it is shown.
    """

    at: AtTable
    position = 0
    kind: Kind
    parts: tuple[int, ...]
    moves: int
    last: int

    @abstractmethod
    def forward(self) -> EventApplied | None:
        """Go one step forward and return what happened; None at the end."""

    @abstractmethod
    def go(self, position: int) -> None:
        """Go to a position, or the nearest one."""

    @property
    def part(self) -> int:
        """The number of the part of the game at this position, from 1."""
        return bisect_right(self.parts, self.position)

    def back(self) -> None:
        """Go one step back."""
        self.go(self.position - 1)

    def next_part(self) -> None:
        """Go to the start of the next part, or to the end."""
        nth = bisect_right(self.parts, self.position)
        self.go(self.parts[nth] if nth < len(self.parts) else self.last)

    def part_before(self) -> None:
        """Go to the start of this part, or of the one before if this one has just begun."""
        # From the left: at the very start of a part the one before it is meant.
        nth = bisect_left(self.parts, self.position)
        self.go(self.parts[max(0, nth - 1)])

    def go_to_part(self, number: int) -> None:
        """Go to the start of part `number`, from 1; past the last one, to the end."""
        self.go(self.parts[max(1, number) - 1] if number <= len(self.parts) else self.last)
