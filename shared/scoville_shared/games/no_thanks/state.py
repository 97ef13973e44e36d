"""The whole truth about a game of No Thanks!, and what a seat can do to it."""

from enum import StrEnum

from msgspec import Struct

from scoville_shared.engine.dice import Dice
from scoville_shared.games.no_thanks.view import Board


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


class Ending(StrEnum):
    """Why the game is over."""

    ROUNDS_PLAYED = "rounds_played"


class Secret(Struct, frozen=True, gc=False):
    """What lies face down: the `deck`, drawn from the front, and the nine `removed` cards of this round, sorted.

    `dice` is where the chance of later rounds comes from.
    """

    dice: Dice
    deck: tuple[int, ...]
    removed: tuple[int, ...]


class State(Struct, frozen=True, gc=False):
    """A decision that is owed; `chips` by seat. The `secret` changes only when a card is taken."""

    board: Board
    secret: Secret
    chips: tuple[int, ...]
