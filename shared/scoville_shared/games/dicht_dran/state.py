"""The whole truth about a game of Dicht dran, and what a seat can do to it."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from scoville_shared.engine.dice import Dice
from scoville_shared.games.dicht_dran.cards import HIGHEST, LOWEST
from scoville_shared.games.dicht_dran.view import Board

FEWEST_SEATS, MOST_SEATS = 2, 5
HAND_SIZE = 8
TAKE_BACKS = 9
"""How often a seat may change its mind in one round (A25): enough for a person, and every game has an end."""


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
    TAKE_BACK_OFF = "take_back_off"
    NOTHING_TO_TAKE_BACK = "nothing_to_take_back"
    NO_TAKE_BACKS_LEFT = "no_take_backs_left"


class Ending(StrEnum):
    """Why the game is over."""

    CYCLES_PLAYED = "cycles_played"


class Secret(Struct, frozen=True, gc=False):
    """What lies face down: `hands` (sorted) and `won` by seat; `pile`, drawn from the front; `discard`, oldest first.

    `dice` is where the chance of later cycles comes from.
    """

    dice: Dice
    hands: tuple[tuple[int, ...], ...]
    won: tuple[tuple[int, ...], ...]
    pile: tuple[int, ...]
    discard: tuple[int, ...]


class State(Struct, frozen=True, gc=False):
    """A round in which choices are being made; hands hold their pick until the reveal.

    The `board` and the `secret` change once a round only. `chosen` is what everybody sees of the `picks`;
    `taken_back` counts changes of mind. The last three are by seat.
    """

    board: Board
    secret: Secret
    chosen: tuple[bool, ...]
    picks: tuple[int | None, ...]
    taken_back: tuple[int, ...]
