"""State of No Thanks!: options, cards and chips, moves, and what each seat may know."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct

from scoville_shared.engine.dice import Dice
from scoville_shared.games.no_thanks.runs import Run, Taking, card_points, list_runs, weigh_taking
from scoville_shared.ids import Seat

MOST_ROUNDS = 4


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of No Thanks!, with the rulings they come from.

    `rounds` (B13) is how many rounds are played; `open_chips` (B4) shows all players' chips; `show_removed` (B9)
    shows the removed cards when a round is over; `tactical` (B16) gives ten chips to each and always removes
    10, 20 and 30.
    """

    rounds: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] = 1
    open_chips: bool = False
    show_removed: bool = False
    tactical: bool = False


CARDS = range(3, 36)
DECK_SIZE = 24
"""How many of the 33 cards are in the game (B15)."""

ROUND_TENS = (10, 20, 30)
CHIPS_BY_SEATS = {3: 11, 4: 11, 5: 11, 6: 9, 7: 7}
TACTICAL_CHIPS = 10
FEWEST_SEATS, MOST_SEATS = min(CHIPS_BY_SEATS), max(CHIPS_BY_SEATS)


def chips_each(options: Options, seats: int) -> int:
    """Count the chips with which each player begins a round (B1, B16)."""
    return TACTICAL_CHIPS if options.tactical else CHIPS_BY_SEATS[seats]


def list_playable(options: Options) -> list[int]:
    """List the cards that can be in the deck, ascending (B16: tactical leaves out 10, 20 and 30)."""
    return [card for card in CARDS if not (options.tactical and card in ROUND_TENS)]


class Action(StrEnum):
    """The two answers to the card in the middle."""

    TAKE = "take"
    PASS = "pass"  # noqa: S105 - a move, no password


class Move(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A player's decision on the card."""

    action: Action


TAKE = Move(Action.TAKE)
PASS = Move(Action.PASS)


class Reason(StrEnum):
    """Why a move is refused."""

    GAME_OVER = "game_over"
    NOT_YOUR_TURN = "not_your_turn"
    NO_CHIPS = "no_chips"


REFUSAL_DATA: Final[Mapping[Reason, Mapping[str, type[int | str]]]] = {
    Reason.NOT_YOUR_TURN: {"mover": int},
    Reason.NO_CHIPS: {"card": int},
}
"""The values of refusals, by name; reasons that are not here have none."""


class Ending(StrEnum):
    """Why the game is over."""

    ROUNDS_PLAYED = "rounds_played"


class Board(Struct, frozen=True, gc=False, kw_only=True):
    """The public part of the table; tuples of the players' are by seat.

    `card` is in the middle with `pot` chips on it, None when the game is over; `left` cards are still face
    down. `mover` is the seat that has to decide. `cards` are all players' taken cards, sorted. `chips` is None
    while chips are hidden (B4): always, but with open chips and at the end. `rounds` are the scores of the rounds
    that are over, `totals` their sums; fewer is better. `removed` is empty but at the end of a game that shows
    the removed cards (B9).
    """

    options: Options
    round: int
    card: int | None
    pot: Annotated[int, Meta(ge=0, le=100)]
    left: int
    mover: Seat
    cards: tuple[tuple[int, ...], ...]
    chips: tuple[int, ...] | None
    rounds: tuple[tuple[int, ...], ...]
    totals: tuple[int, ...]
    removed: tuple[int, ...]
    over: bool

    @property
    def card_up(self) -> int:
        """The card to decide on, while the game is on."""
        assert self.card is not None, "a card is in the middle until the game is over"
        return self.card

    @property
    def points(self) -> tuple[int, ...]:
        """The card points of each seat in this round, without chips (B5)."""
        return tuple(card_points(cards) for cards in self.cards)

    def list_runs(self, seat: Seat) -> list[Run]:
        """Split a seat's cards into runs, single cards among them, the lowest first."""
        return list_runs(self.cards[seat])

    def weigh_taking(self, seat: Seat) -> Taking | None:
        """Return the effect of taking the card on a seat's score; None when no card is left."""
        return None if self.card is None else weigh_taking(self.cards[seat], self.card, self.pot)


class Secret(Struct, frozen=True, gc=False):
    """Hidden information: the `deck`, drawn from the front, and the nine `removed` cards of this round, sorted.

    `dice` deals later rounds.
    """

    dice: Dice
    deck: tuple[int, ...]
    removed: tuple[int, ...]


class State(Struct, frozen=True, gc=False):
    """A decision that the mover has to make; `chips` by seat. The `secret` changes only when a card is taken."""

    board: Board
    secret: Secret
    chips: tuple[int, ...]


class View(Struct, frozen=True, gc=False, kw_only=True):
    """A seat's View; `seat` and its `chips` are None for a spectator."""

    board: Board
    seat: Seat | None
    chips: int | None
