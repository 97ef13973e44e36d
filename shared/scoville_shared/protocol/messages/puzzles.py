"""Messages of puzzles: decisions of real games with one clear best move."""

from msgspec import Struct

from scoville_shared.protocol.messages.base import Reply
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
    seats: int
    seat: int
    view: Plain
    history: list[PuzzleStep]


class PuzzleChoice(Struct, frozen=True, kw_only=True):
    """Moves that come to the same, their chance to win and how far they are behind the best ones, in thousandths."""

    moves: list[Plain]
    win: int
    behind: int


class PuzzleAnswer(Reply, frozen=True, kw_only=True):
    """The answer to a puzzle, and what an attempt was worth.

    `choices` are all choices, the best one first, and `place` is the one that was chosen, 0 for the right one. `reason`
    is English, one of a few sentences that clients translate. `exact` says that the game was solved, else that many
    sampled games agree. `rating` is the player's after the attempt, `before` the one before; they are the same for an
    attempt that was not `rated`.
    """

    place: int
    choices: list[PuzzleChoice]
    reason: str
    exact: bool
    puzzle_rating: int
    rating: int
    before: int
    rated: bool
