"""Messages of puzzles: decisions of real games with one clear best move."""

from typing import Literal

from msgspec import Struct

from scoville_shared.protocol.messages.base import Params, Reply, ShortText
from scoville_shared.values import Plain


class PuzzleStep(Struct, frozen=True, kw_only=True):
    """A move before the decision: the seat that made it, and its facts as the puzzle's seat was sent them."""

    seat: int
    facts: list[Plain]


class PuzzleInfo(Struct, frozen=True, kw_only=True):
    """A puzzle without its answer: what `seat` knew before a decision, and nothing that was hidden from it."""

    id: str
    game: str
    rules_version: int
    options: Plain
    seat_count: int
    seat: int
    view: Plain
    past_steps: list[PuzzleStep]


class PuzzleChoice(Struct, frozen=True, kw_only=True):
    """Moves that come to the same, their chance to win and how far they are behind the best ones, in thousandths."""

    moves: list[Plain]
    win: int
    behind: int


class PuzzleAnswer(Reply, frozen=True, kw_only=True):
    """The answer to a puzzle, and the worth of an attempt.

    `choices` are all choices, the best one first, and `place` is the one that was chosen, 0 for the right one. `reason`
    is English, one of a few sentences that clients translate. `exact` says that the game was solved, else that many
    sampled games agree. `before` and `after` are the player's ratings around the attempt, the same for an
    attempt that was not `rated`.
    """

    place: int
    choices: list[PuzzleChoice]
    reason: str
    exact: bool
    puzzle_rating: int
    before: int
    after: int
    rated: bool


class PastPuzzle(Struct, frozen=True, kw_only=True):
    """A user's attempt at a puzzle, whether it was right, and what it did to their rating."""

    puzzle: str
    at_ms: int
    right: bool
    before: int
    after: int


class PuzzleCount(Struct, frozen=True, kw_only=True):
    """How many puzzles of a game the server has, how many of them the user has tried, and how many they have solved."""

    game: str
    puzzle_count: int
    tried_count: int
    solved_count: int


class ShowPuzzlesRequest(Params, frozen=True, kw_only=True):
    """Requests the user's results at puzzles, and at that of the day."""


class ShowPuzzlesReply(Reply, frozen=True, kw_only=True):
    """The user's rating and counts, and the puzzle of the day without itself; the next day begins in `next_in_ms`.

    A rating is `provisional` until about ten attempts. `daily_solved_count` of `daily_tried_count` users with a claimed
    name have solved it; how many is 0 until the user has tried.
    """

    today: int
    next_in_ms: int
    daily_game: str
    daily_state: Literal["open", "solved", "failed"]
    daily_tried_count: int
    daily_solved_count: int
    your_rating: int
    provisional: bool
    attempt_count: int
    puzzle_counts: list[PuzzleCount]


class PosePuzzleRequest(Params, frozen=True, kw_only=True):
    """Requests the puzzle of the day, or one that fits the user's rating: of a `game`, another one than `besides`."""

    daily: bool = False
    game: ShortText | None = None
    besides: ShortText | None = None


class PosePuzzleReply(Reply, frozen=True, kw_only=True):
    """A puzzle without its answer, None if there is none left; `answer` only where the user has tried it before."""

    posed: PuzzleInfo | None = None
    answer: PuzzleAnswer | None = None


class AnswerPuzzleRequest(Params, frozen=True, kw_only=True):
    """Attempts a puzzle with a `move`. The first attempt counts; a later one gets the answer to the first."""

    puzzle: ShortText
    move: Plain
