"""The whole truth about a game of Chilli Chase, and what a seat can do to it."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from scoville_shared.engine.dice import Dice
from scoville_shared.games.chilli_chase.cards import VALUES
from scoville_shared.games.chilli_chase.view import Board


class Op(StrEnum):
    """The operations, a closed list (C6); the last two under the option `extended` only."""

    PLUS = "+"
    MINUS = "-"
    TIMES = "*"
    DIVIDE = "/"
    POWER = "^"
    ROOT = "root"
    MOD = "mod"


BASIC_OPS = (Op.PLUS, Op.MINUS, Op.TIMES, Op.DIVIDE, Op.POWER)


class Left(StrEnum):
    """Which of the two numbers is written first (C7)."""

    TOTAL = "total"
    CARD = "card"


class Play(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Lay a card on the Hot Pile: one operation on the running total and the card (C8)."""

    card: Annotated[int, Meta(ge=VALUES[0], le=VALUES[-1])]
    op: Op
    left: Left


class NewScore(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Take a new Chilli Score after hitting an opponent's (C18)."""

    score: int


class Keep(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Keep the Chilli Score after hitting an opponent's (C18)."""

    keep: bool

    def __post_init__(self) -> None:
        if not self.keep:
            raise ValueError("keep is always true")


Move = Play | NewScore | Keep

KEEP = Keep(keep=True)


class Reason(StrEnum):
    """Why a move, or a typed formula, is refused."""

    GAME_OVER = "game_over"
    NOT_YOUR_TURN = "not_your_turn"
    CARD_NOT_HELD = "card_not_held"
    SCORE_OWED = "score_owed"
    NO_SCORE_OFFERED = "no_score_offered"

    OP_NOT_PLAYED = "op_not_played"
    DIVISION_BY_ZERO = "division_by_zero"
    LEAVES_REST = "leaves_rest"
    NOT_WHOLE = "not_whole"
    NO_ROOT = "no_root"
    NO_REMAINDER = "no_remainder"
    ZERO_RESULT = "zero_result"
    TOO_BIG = "too_big"

    SCORE_ZERO = "score_zero"
    SCORE_TOO_BIG = "score_too_big"
    SCORE_NOT_ON_DIE = "score_not_on_die"
    SCORE_TAKEN = "score_taken"

    UNREADABLE = "unreadable"
    TWO_OPERATIONS = "two_operations"
    INCOMPLETE = "incomplete"
    TOTAL_MISSING = "total_missing"
    WRONG_SUM = "wrong_sum"


class Ending(StrEnum):
    """Why the game is over."""

    TARGET_REACHED = "target_reached"
    TURN_LIMIT = "turn_limit"


class Secret(Struct, frozen=True, gc=False):
    """What lies face down: `hands` (sorted) by seat, and the `deck`, drawn from the front.

    `dice` is where the chance of shuffled recycling comes from.
    """

    dice: Dice
    hands: tuple[tuple[int, ...], ...]
    deck: tuple[int, ...]


class State(Struct, frozen=True, gc=False):
    """A turn in which a card, or then a Chilli Score, is owed."""

    board: Board
    secret: Secret
