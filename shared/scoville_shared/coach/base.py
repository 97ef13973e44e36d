"""The coach of a game: turns what a seat knows into questions about its moves, and figures into reasons."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple, Protocol, Self

from msgspec import Struct
from msgspec.structs import replace

from scoville_shared.bots.machine import Machine
from scoville_shared.coach.sample import Aim, Sample, Weighed
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat
from scoville_shared.values import Plain


class Policy(StrEnum):
    """Assumptions about how all players go on; every figure depends on it and names it."""

    DRAWN = "drawn"
    LEARNED = "learned"
    TRAINED = "trained"
    USUAL = "usual"
    BEST = "best"


POLICY_NAMES = {
    Policy.DRAWN: Phrase(
        "bots go on as their level plays, everybody else like a bot drawn from a mix of trained and simple ones"
    ),
    Policy.LEARNED: Phrase("bots go on as their level plays, everybody else like players who fit their moves so far"),
    Policy.TRAINED: Phrase("everybody plays like the trained bot"),
    Policy.USUAL: Phrase("bots go on as their level plays, everybody else like the sensible bot"),
    Policy.BEST: Phrase("everybody plays perfectly from here on"),
}


PERSON = ""
"""The level of a seat of which only its moves say how it plays."""

DRAWN = -1
"""In place of a policy's number: one is drawn in each world."""


class Sums(NamedTuple):
    """Where a question adds up its worlds: `sums` of all columns, `products` of the compared ones (see `tally`)."""

    sums: MutableSequence[float]
    products: MutableSequence[float]


class Question(Protocol):
    """A decision in plain numbers, which another process can answer.

    `moves` are the legal moves as plain data. `all_worlds` is how many equally likely worlds there are, if that is
    known and the policy leaves nothing to chance; else 0.
    """

    @property
    def moves(self) -> Sequence[Any]:
        """The legal moves that are compared, as plain data; places count from here."""

    @property
    def policy(self) -> Policy:
        """Assumptions about how all players go on after the move."""

    @property
    def aim(self) -> Aim:
        """The aim by which moves are compared."""

    @property
    def all_worlds(self) -> int:
        """Number of equally likely worlds, or 0."""

    def with_moves(self, places: Sequence[int]) -> "Question":
        """Return the question with a choice of its moves."""

    def ask_plans(self) -> "Question | None":
        """Return the question how to go on after a move, the usual way first; None where there is one way only."""

    def follow_plan(self, place: int) -> "Question":
        """Return this question with the plan at a place of those."""

    def add_worlds(self, machine: Machine, worlds: range, rng: MutableSequence[int] | None, to: Sums) -> None:
        """Play every move out in the same worlds: random ones, or without `rng` those with these numbers."""

    def solve_exactly(self, machine: Machine) -> Sample | None:
        """Return the exact figures under perfect play where they are cheap, else None."""

    def equilibrium_shares(self, machine: Machine) -> tuple[float, ...]:
        """Return how often an equilibrium of this round plays each move; nothing where none is known.

        Where it is known, the moves' column `SECOND` is what the round brings.
        """


class SampledQuestion(Struct, frozen=True, kw_only=True):
    """The common part of questions: moves that are compared in random worlds, without perfect play or an equilibrium.

    A game adds what its playouts start from, and `add_worlds`; it overrides what it knows more exactly.
    """

    moves: list[Plain]
    policy: Policy
    aim: Aim

    @property
    def all_worlds(self) -> int:
        """Nothing: their number is not known."""
        return 0

    def with_moves(self, places: Sequence[int]) -> Self:
        """Return the question with a choice of its moves."""
        return replace(self, moves=[self.moves[place] for place in places])

    def ask_plans(self) -> Self | None:
        """Return nothing: all go on as usual."""
        return None

    def follow_plan(self, place: int) -> Self:  # noqa: ARG002 - there is no other
        return self

    def solve_exactly(self, machine: Machine) -> Sample | None:  # noqa: ARG002 - perfect play is not known
        """Return nothing: no solution is cheap."""
        return None

    def equilibrium_shares(self, machine: Machine) -> tuple[float, ...]:  # noqa: ARG002 - none is known
        """Return nothing: moves follow each other, or their equilibrium is not known."""
        return ()


class CourseQuestion(Protocol):
    """A position in plain numbers, all hands open, with the question of all players' chances."""

    @property
    def seats(self) -> int:
        """The number of seats."""

    def add_worlds(
        self, machine: Machine, worlds: int, rng: MutableSequence[int], sums: MutableSequence[float]
    ) -> None:
        """Add each seat's final score and share of the win in random worlds."""


class PublicDecision(NamedTuple):
    """A decision that all players saw, as far as all of them know it.

    `view` is the View of the seat without what only that seat knew, `played` the place of its move among those of the
    question. What is hidden differs from world to world.
    """

    view: Any
    question: Question
    played: int


class Coach(ABC):
    """The coach of one seat in one game. It knows Views and facts of that seat, and nothing else.

    Args:
        game: The game that is played.
    """

    fewer_is_better: ClassVar[bool] = False
    policy: ClassVar[Policy] = Policy.DRAWN
    """Assumptions about how all players go on, in the figures of moves and of the course; who expects others to play
    worse than oneself promises all of them together more than there is to win."""
    like_level: ClassVar[Mapping[str, int]] = {}
    """The number of the policy that plays most like the bot of a level."""
    unit: ClassVar[Phrase] = Phrase("points")
    playouts: ClassVar[int] = 30_000
    """Budget of a decision in a review, on a fast machine."""
    advice_playouts: ClassVar[int] = 7_500
    """Budget of a decision during a game, which takes at most half a second of CPU."""
    game_playouts: ClassVar[int] = 4_000_000
    """Budget of all decisions of a game together, which shortens that of each in long games."""
    course_playouts: ClassVar[int] = 1_500
    """Budget of each point of the course."""
    whole_course_playouts: ClassVar[int] = 1_000_000
    """Budget of all points of the course together."""
    headlines: ClassVar[tuple[type, ...]] = ()
    """Facts that say best what a move led to."""
    puzzle_options: ClassVar[Mapping[str, Any]] = {}
    """Options of games that puzzles come from: open is what a good memory knows."""
    levels: Sequence[str] = ()
    """The level of the bot in each seat, `PERSON` for others; without any, all players are people."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    def expect_players(self, levels: Iterable[str | None]) -> None:
        """Learn who plays: the level of the bot in each seat, None or `PERSON` for a seat that is none."""
        self.levels = [level or PERSON for level in levels]

    def level_of(self, seat: int) -> str:
        """Return the level of the bot in a seat, or `PERSON`."""
        return self.levels[seat] if seat < len(self.levels) else PERSON

    def list_known_policies(self, seats: int) -> list[int]:
        """Return the number of each seat's policy: that of its level, `DRAWN` for a person."""
        return [self.like_level.get(self.level_of(seat), DRAWN) for seat in range(seats)]

    @classmethod
    def playout_budgets(cls, moves: int) -> tuple[int, int]:
        """Return the playouts of each decision and of each point of the course in a game of so many moves."""
        count = max(1, moves)
        each_point = min(cls.course_playouts, cls.whole_course_playouts // count)
        # Long games would take minutes: each of their decisions gets less, so that a whole review stays bounded.
        return min(cls.playouts, cls.game_playouts // count), each_point

    def observe_fact(self, fact: Any) -> None:  # noqa: B027 - a game without memory has nothing to learn
        """Learn a fact that the seat was sent, in the order of the game."""

    @abstractmethod
    def make_question(self, view: Any, policy: Policy | None = None, aim: Aim = Aim.WIN) -> Question | None:
        """Return the question of a View; None where the seat has no choice. The usual policy is that of the coach."""

    @abstractmethod
    def make_course_question(self, state: Any) -> CourseQuestion:
        """Return the question about a state's chances; what is not dealt yet is shuffled again."""

    def write_hint(self, view: Any) -> Phrase:  # noqa: ARG002 - games say more
        """Name the considerations in the decision that a View asks for, without the best answer."""
        return Phrase("What can each move win, and what does it cost if it fails?")

    @abstractmethod
    def explain_move(self, view: Any, question: Any, weighed: Weighed) -> Phrase:
        """Give the reason for or against a move in one sentence.

        The coach may have observed more of the game since: what was known then is in the View and its question.
        """

    def name_error(self, view: Any, question: Any, weighed: Weighed) -> Phrase:  # noqa: ARG002 - games say more
        """Name the kind of an error without its cards, "takes a card too early", so that errors of a kind add up.

        The rival that the move is `weighed` against is the best one.
        """
        return Phrase("chooses the worse move")

    def name_reason(self, view: Any, question: Any, weighed: Weighed) -> Phrase:  # noqa: ARG002 - games say more
        """Say in at most eight words, without fields, why the best move is better than its rival."""
        return Phrase("It wins more often.")

    def explain_balance(self, moves: Sequence[Plain], shares: Sequence[float]) -> Phrase:
        """Say how often an equilibrium of this round plays each move, in games whose questions know it."""
        raise NotImplementedError

    @abstractmethod
    def public_moves(self, facts: Iterable[Any]) -> Iterator[tuple[Seat, Plain]]:
        """Yield the moves that facts show to all players, with their seats."""

    def public_board(self, view: Any) -> Any:
        """Return the part of a View that all players see; None where bots' moves are not explained."""
        return getattr(view, "board", None)

    @abstractmethod
    # Decision 050: from public knowledge while the game runs; the three best moves of a hidden hand would show it.
    def public_decision(self, board: Any, seat: Seat, move: Plain) -> PublicDecision | None:
        """Return the public part of the decision for a move; None where the seat had no choice.

        Args:
            board: The `public_board` before the move, and before this coach has observed what the move led to.
        """

    def undoes_choice(self, move: Any) -> bool:  # noqa: ARG002 - in most games a move stays
        """Whether a move takes the seat's last one back."""
        return False

    def locate_move(self, view: Any, question: Any, move: Any) -> tuple[Any, int]:  # noqa: ARG002 - most list every move
        """Return a question with the place of a move, which is added to it if it is not among its moves."""
        return question, list(question.moves).index(move)
