"""State of Chilli Chase: options, cards and die, moves, and what each seat may know."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct

from scoville_shared.engine.dice import Dice
from scoville_shared.ids import Seat

VALUES = range(1, 7)
SETS = 6
DECK = tuple(VALUES) * SETS
"""All 36 cards, set by set."""

DIE = 12
HAND_SIZE = 3
FEWEST_SEATS, MOST_SEATS = 2, 6
FEWEST_TURNS = 50
MOST_TURNS = 10_000
"""The bounds of the turn limit (C26). There is no game without one: careful players can starve each other."""


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of Chilli Chase, with the rulings they come from.

    `points` (C27) win the game; `extended` (C6) adds exact roots and remainders; `zero` (C9) allows a total of
    nothing; `cap` (C12) is how far from zero a total may go; `die_scores` (C18) lets a new Chilli Score be 1 to 12
    only; `shuffle` (C22) shuffles the Hot Pile when it becomes the deck; `turn_limit` (C26) ends the game after so
    many turns in total; it cannot be turned off.
    """

    points: Annotated[int, Meta(ge=3, le=10)] = 5
    extended: bool = False
    zero: bool = False
    cap: Annotated[int, Meta(ge=99, le=999_999)] = 9_999
    die_scores: bool = False
    shuffle: bool = False
    turn_limit: Annotated[int, Meta(ge=FEWEST_TURNS, le=MOST_TURNS)] = 300


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
    """The number that is written first (C7)."""

    TOTAL = "total"
    CARD = "card"


class Play(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Play a card on the Hot Pile: one operation on the running total and the card (C8)."""

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

    # The turn (C18, C19).
    GAME_OVER = "game_over"
    NOT_YOUR_TURN = "not_your_turn"
    CARD_NOT_HELD = "card_not_held"
    SCORE_OWED = "score_owed"
    NO_SCORE_OFFERED = "no_score_offered"

    # The total (C6 to C12).
    OP_NOT_PLAYED = "op_not_played"
    DIVISION_BY_ZERO = "division_by_zero"
    LEAVES_REST = "leaves_rest"
    NOT_WHOLE = "not_whole"
    NO_ROOT = "no_root"
    NO_REMAINDER = "no_remainder"
    ZERO_RESULT = "zero_result"
    TOO_BIG = "too_big"

    # A new Chilli Score (C18).
    SCORE_ZERO = "score_zero"
    SCORE_TOO_BIG = "score_too_big"
    SCORE_NOT_ON_DIE = "score_not_on_die"
    SCORE_TAKEN = "score_taken"

    # Typed text, which is no move yet.
    SCORE_UNREADABLE = "score_unreadable"
    UNREADABLE = "unreadable"
    TWO_OPERATIONS = "two_operations"
    INCOMPLETE = "incomplete"
    TOTAL_MISSING = "total_missing"
    WRONG_SUM = "wrong_sum"


REFUSAL_DATA: Final[Mapping[Reason, Mapping[str, type[int | str]]]] = {
    Reason.NOT_YOUR_TURN: {"mover": int},
    Reason.CARD_NOT_HELD: {"card": int},
    Reason.OP_NOT_PLAYED: {"formula": str},
    Reason.DIVISION_BY_ZERO: {"formula": str},
    Reason.NOT_WHOLE: {"formula": str},
    Reason.NO_ROOT: {"formula": str},
    Reason.NO_REMAINDER: {"formula": str},
    Reason.ZERO_RESULT: {"formula": str},
    Reason.LEAVES_REST: {"formula": str, "rest": int},
    Reason.TOO_BIG: {"formula": str, "cap": int},
    Reason.SCORE_TOO_BIG: {"cap": int},
    Reason.SCORE_NOT_ON_DIE: {"most": int},
    Reason.SCORE_TAKEN: {"score": int, "holder": int},
}  # fmt: skip
"""The values of refusals of moves, by name; reasons that are not here have none, those of typed formulas stay here."""


class Ending(StrEnum):
    """Why the game is over."""

    TARGET_REACHED = "target_reached"
    TURN_LIMIT = "turn_limit"


class Board(Struct, frozen=True, gc=False, kw_only=True):
    """The public part of the table; tuples of the players' are by seat.

    `turn` counts turns from 1; `mover` is the seat whose turn it is, and `choosing` is whether it has hit an
    opponent's score and may change its own. `total` is the running total, `hot` the cards of the Hot Pile from the
    bottom to the top. `deck` and `hands` are sizes; `recycled` counts how often the Hot Pile became the deck.
    `scores` are the Chilli Scores, `points` the points won.
    """

    options: Options
    dealer: Seat
    turn: int
    mover: Seat
    choosing: bool
    total: int
    hot: tuple[int, ...]
    deck: int
    recycled: int
    hands: tuple[int, ...]
    scores: tuple[int, ...]
    points: tuple[int, ...]
    over: bool

    def find_holder(self, number: int) -> Seat | None:
        """Find the seat whose Chilli Score `number` is."""
        return Seat(self.scores.index(number)) if number in self.scores else None


class Secret(Struct, frozen=True, gc=False):
    """Hidden information: `hands` (sorted) by seat, and the `deck`, drawn from the front.

    `dice` shuffles the Hot Pile when it becomes the deck.
    """

    dice: Dice
    hands: tuple[tuple[int, ...], ...]
    deck: tuple[int, ...]


class State(Struct, frozen=True, gc=False):
    """A turn in which the mover has to play a card, or then to choose a Chilli Score."""

    board: Board
    secret: Secret


class View(Struct, frozen=True, gc=False, kw_only=True):
    """A seat's View: the board and its sorted `hand`; `seat` is None for a spectator, whose hand is empty."""

    board: Board
    seat: Seat | None
    hand: tuple[int, ...]
