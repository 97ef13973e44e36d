"""What a seat of Dicht dran may know: the public board, and its own cards."""

from msgspec import Struct

from scoville_shared.games.dicht_dran.options import Options
from scoville_shared.ids import Seat

CIRCLE_SLOTS = 6


class Board(Struct, frozen=True, gc=False, kw_only=True):
    """Everything that lies open on the table, by seat where it is a tuple of the players'.

    `circle` holds the six cards clockwise; `target` is the slot of the card that is pushed inward. `totals` are
    the points of the cycles that are over, `cycles` the points of each of them. `won` counts won cards, and
    `won_peppers` is None unless the table plays them open (A24). `pile` and `discard` are sizes.
    """

    options: Options
    cycle: int
    round: int
    circle: tuple[int, ...]
    target: int
    hands: tuple[int, ...]
    won: tuple[int, ...]
    won_peppers: tuple[int, ...] | None
    pile: int
    discard: int
    cycles: tuple[tuple[int, ...], ...]
    totals: tuple[int, ...]
    over: bool

    @property
    def target_card(self) -> int:
        """The card that this round is about."""
        return self.circle[self.target]

    @property
    def gap(self) -> tuple[int, int]:
        """The rim cards beside the target, the lower first; what lies strictly between them fits (A7, A8)."""
        before = self.circle[self.target - 1]
        after = self.circle[(self.target + 1) % CIRCLE_SLOTS]
        return (before, after) if before < after else (after, before)


class View(Struct, frozen=True, gc=False, kw_only=True):
    """What one seat sees; `seat` is None for a spectator, whose hand, pick and won cards are empty.

    `chosen` tells which seats have chosen; `hand` is sorted and holds the `pick` until the reveal. `take_backs` is
    how often the seat may still take back a choice in this round: 0 unless the table allows it (A25).
    """

    board: Board
    chosen: tuple[bool, ...]
    seat: Seat | None
    hand: tuple[int, ...]
    pick: int | None
    won: tuple[int, ...]
    take_backs: int
