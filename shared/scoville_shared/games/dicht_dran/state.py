"""State of Dicht dran: options, moves, and what each seat may know."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct

from scoville_shared.engine.dice import Dice
from scoville_shared.games.dicht_dran.cards import HIGHEST, LOWEST, PepperTable
from scoville_shared.ids import Seat

MOST_CYCLES = 5
CIRCLE_SLOTS = 6
FEWEST_SEATS, MOST_SEATS = 2, 5
HAND_SIZE = 8
TAKE_BACKS = 9
"""How often a seat may take back its choice in one round (A25): enough for a player, and every game has an end."""


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of Dicht dran, with the rulings they come from.

    `cycles` (A21) is how many cycles are played; `open_won` (A24) shows all players' won peppers; `take_back`
    (A25) lets a choice be taken back until the last one is in; `peppers` (A2) replaces the peppers of the
    cards 1 to 100 by a list, None for the built-in table.
    """

    cycles: Annotated[int, Meta(ge=1, le=MOST_CYCLES)] = 2
    open_won: bool = False
    take_back: bool = False
    peppers: PepperTable | None = None


class Play(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """1st action: choose this card, face down."""

    card: Annotated[int, Meta(ge=LOWEST, le=HIGHEST)]


class TakeBack(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Take the chosen card back into the hand (A25)."""

    take_back: bool

    def __post_init__(self) -> None:
        if not self.take_back:
            raise ValueError("take_back is always true")


Move = Play | TakeBack

PLAYS = tuple(Play(card) for card in range(HIGHEST + 1))
"""Every play there is, by card; equal moves are one object."""

TAKE_BACK = TakeBack(take_back=True)


class Reason(StrEnum):
    """Why a move is refused."""

    GAME_OVER = "game_over"
    ALREADY_CHOSEN = "already_chosen"
    NOT_IN_HAND = "not_in_hand"

    # Taking a choice back (A25).
    TAKE_BACK_OFF = "take_back_off"
    NOTHING_TO_TAKE_BACK = "nothing_to_take_back"
    NO_TAKE_BACKS_LEFT = "no_take_backs_left"


REFUSAL_DATA: Final[Mapping[Reason, Mapping[str, type[int | str]]]] = {
    Reason.ALREADY_CHOSEN: {"card": int},
    Reason.NOT_IN_HAND: {"card": int},
    Reason.NO_TAKE_BACKS_LEFT: {"limit": int},
}
"""The values of refusals, by name; reasons that are not here have none."""


class Ending(StrEnum):
    """Why the game is over."""

    CYCLES_PLAYED = "cycles_played"


class Board(Struct, frozen=True, gc=False, kw_only=True):
    """The public part of the table; tuples of the players' are by seat.

    `circle` holds the six cards clockwise; `target` is the slot of the card that is pushed inward. `totals` are
    the points of the cycles that are over, `cycles` the points of each of them. `won` counts won cards, and
    `won_peppers` is None unless the table plays them open (A24). `pile` and `discard` are sizes.
    """

    options: Options
    cycle: int
    round: int
    circle: Annotated[tuple[int, ...], Meta(min_length=CIRCLE_SLOTS, max_length=CIRCLE_SLOTS)]
    target: Annotated[int, Meta(ge=0, lt=CIRCLE_SLOTS)]
    hands: tuple[int, ...]
    won: tuple[Annotated[int, Meta(ge=0, le=100)], ...]
    won_peppers: tuple[Annotated[int, Meta(ge=0, le=300)], ...] | None
    pile: int
    discard: int
    cycles: tuple[tuple[int, ...], ...]
    totals: tuple[int, ...]
    over: bool

    @property
    def target_card(self) -> int:
        return self.circle[self.target]

    @property
    def gap(self) -> tuple[int, int]:
        """The rim cards beside the target, the lower first; cards strictly between them fit (A7, A8)."""
        before = self.circle[self.target - 1]
        after = self.circle[(self.target + 1) % CIRCLE_SLOTS]
        return (before, after) if before < after else (after, before)


class Secret(Struct, frozen=True, gc=False):
    """Hidden information: `hands` (sorted) and `won` by seat; `pile`, drawn from the front; `discard`, oldest first.

    `dice` deals later cycles.
    """

    dice: Dice
    hands: tuple[tuple[int, ...], ...]
    won: tuple[tuple[int, ...], ...]
    pile: tuple[int, ...]
    discard: tuple[int, ...]


class State(Struct, frozen=True, gc=False):
    """A round in which choices are being made; hands hold their pick until the reveal.

    The `board` and the `secret` change once a round only. `chosen` is the public part of the `picks`;
    `taken_back` counts choices taken back. The last three are by seat.
    """

    board: Board
    secret: Secret
    chosen: tuple[bool, ...]
    picks: tuple[int | None, ...]
    taken_back: tuple[int, ...]


class View(Struct, frozen=True, gc=False, kw_only=True):
    """A seat's View; `seat` is None for a spectator, whose hand, pick and won cards are empty.

    `chosen` is which seats have chosen; `hand` is sorted and holds the `pick` until the reveal. `take_backs` is
    how often the seat may still take back a choice in this round: 0 unless the table allows it (A25).
    """

    board: Board
    chosen: tuple[bool, ...]
    seat: Seat | None
    hand: tuple[int, ...]
    pick: int | None
    won: tuple[int, ...]
    take_backs: int
