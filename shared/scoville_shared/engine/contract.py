"""The game contract: what a game must offer to be played, shown, stored, searched and verified.

A game is pure: no clock, no socket, no randomness but the Dice passed in. Every value is a frozen struct. The laws in
`scoville_laws` hold for every game; docs/adding-a-game.md explains how to write a new one.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from operator import attrgetter
from typing import Annotated, Any, ClassVar, Final, Generic, NamedTuple, TypeAlias, TypeVar

from msgspec import Meta, Struct

from scoville_shared.engine.codec import Codec
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat

O = TypeVar("O")  # noqa: E741 - options
S = TypeVar("S")  # state
M = TypeVar("M")  # move
V = TypeVar("V")  # view
F = TypeVar("F")  # fact

API_VERSION: Final = 1
"""Version of everything that docs/adding-a-game.md describes: this contract, the bots', the board's and the groups.

Within a version names stay and keep their meaning; methods, fields and groups are only added, with a default. A package
states the version that it is written for; one for another version is named and left out.
"""
MOST_FACTS: Final = 1_000
MOST_FACT_BYTES: Final = 262_144
"""Facts of one move, and their bytes: every watcher is sent them, and the journal keeps the move."""


class Info(Struct, frozen=True, kw_only=True):
    """Description of a game for the lobby.

    `seats` and `official` are (fewest, most) players; seat counts outside `official` are offered, marked unofficial.
    `max_moves` bounds the moves of a whole game under any options. `api_version` is the API_VERSION that a game of
    another package is written for; 0 stands for this distribution's own games, which always fit.
    """

    slug: str
    title: Annotated[str, Meta(max_length=40)]
    seats: tuple[int, int]
    official: tuple[int, int]
    rules_version: Annotated[int, Meta(ge=1, le=1_000_000)]
    max_moves: Annotated[int, Meta(ge=1, le=1_000_000)]
    api_version: int = 0


class DailyPlan(Struct, frozen=True, kw_only=True):
    """How a game is played as a daily deal: the levels of the bots, one for each seat but the player's, and options."""

    levels: tuple[str, ...]
    options: dict[str, Any] = {}


class Refusal(Struct, frozen=True):
    """The reason why a move is illegal, and the values its sentence needs."""

    reason: StrEnum
    data: dict[str, int | str] = {}


class Outcome(Struct, frozen=True):
    """Result of a game: a score and a place per seat (ties share the better place), and the reason of the end."""

    scores: tuple[int, ...]
    places: tuple[int, ...]
    reason: StrEnum


# Decision 010: values of games have no reference cycles, so that the garbage collector need not know them (`gc=False`).
class Addressed(Struct, Generic[F], frozen=True, gc=False):
    """A fact with the one seat that may know it (None: everybody)."""

    to: Seat | None
    fact: F


def select_facts(facts: Iterable[Addressed[F]], seat: Seat | None) -> list[F]:
    """Select the facts of a move that a seat may know, in their order; for a spectator (None) those that are public."""
    return [addressed.fact for addressed in facts if addressed.to in (None, seat)]


class Step(Struct, Generic[S, F], frozen=True, gc=False):
    """Result of a legal move: the next state, and the facts in order."""

    state: S
    facts: Sequence[Addressed[F]]


class Gain(Struct, frozen=True):
    """Points that a seat won or lost at once: `what` for, in a word or two, and their `kind`.

    The points of a seat are the sum of its gains. Those of one kind are added up to explain the result, such as
    "cards 71 − chips 18".
    """

    seat: Seat
    points: int
    what: Phrase
    kind: Phrase


class Remark(Struct, frozen=True):
    """One plain sentence of at most 16 words that the bot in `seat` says to a player after a game.

    It teaches, it is true of the game's facts, and it mocks nobody. "I" is the bot, "you" the player.
    """

    seat: Seat
    sentence: Phrase


class WeighedRemark(NamedTuple):
    """A remark, and about how many points, cards or chips it is."""

    weight: float
    remark: Remark


def order_remarks(remarks: Iterable[WeighedRemark]) -> Iterator[Remark]:
    """Yield first what weighs most; of equals, the one that came first."""
    return (each.remark for each in sorted(remarks, key=attrgetter("weight"), reverse=True))


class Text(ABC, Generic[M, V, F]):
    """The game in sentences, for the log, the line mode and the transcript.

    `tagline` is the game in one sentence, for the list of games; `option_names` are the labels of its options,
    `option_help` explains each in a short line, `option_values` names the values of those that are enums.
    """

    tagline: ClassVar[Phrase | None] = None
    option_names: ClassVar[Mapping[str, Phrase]] = {}
    option_help: ClassVar[Mapping[str, Phrase]] = {}
    option_values: ClassVar[Mapping[str, Mapping[int | str, Phrase]]] = {}

    @abstractmethod
    def describe_fact(self, fact: F) -> Phrase | None:
        """Describe a fact; None for facts that are only animated."""

    def describe_fact_of(self, seat: Seat, fact: F) -> Phrase | None:  # noqa: ARG002 - most say the same to all
        """Describe a fact that `seat` was sent, for a reader who sees the game from there; by default as for the seat.

        Only a fact that is addressed to one seat can need it, such as "You draw the 4."
        """
        return self.describe_fact(fact)

    @abstractmethod
    def describe_move(self, move: M) -> Phrase:
        """Name a move, short enough for a menu."""

    def describe_move_at(self, view: V, move: M) -> Phrase:  # noqa: ARG002 - most names need no View
        """Name a move of the View's seat where it is spoken of: by a coach, or later; by default as in a menu."""
        return self.describe_move(move)

    def describe_decision(self, view: V) -> Phrase | None:  # noqa: ARG002 - most moves say it themselves
        """Name what the View's seat decides about, where the names of its moves do not say it; by default nothing.

        It stands before moves that are spoken of later, such as "the 24: no thanks".
        """
        return None

    def read_move(self, typed: str, view: V) -> M | Refusal | None:  # noqa: ARG002 - most games have no notation
        """Read a move typed in the game's own notation.

        Returns the move, the refusal of a move that cannot be read, or None if the text is not in that notation.
        """
        return None

    @abstractmethod
    def describe_refusal(self, refusal: Refusal) -> Phrase:
        """Explain why a move was refused and what to do instead."""

    @abstractmethod
    def describe_table(self, view: V) -> Iterable[Phrase]:
        """Describe the whole table as this View shows it, one phrase per line: what `table` says in the line mode."""

    def describe_hand(self, view: V) -> Iterable[Phrase]:
        """Describe the hand of the View's seat; by default the whole table. It is never said beside `describe_turn`."""
        return self.describe_table(view)

    def describe_table_of(self, seat: Seat, view: V) -> Iterable[Phrase]:  # noqa: ARG002 - most say the same to all
        """Describe the table to a reader who sees the game from `seat`, without sitting there; by default as to it.

        Only sentences that are addressed to the seat can need it, such as "You have chosen the 4."
        """
        return self.describe_table(view)

    def describe_hand_of(self, seat: Seat, view: V) -> Iterable[Phrase]:  # noqa: ARG002
        """Describe the hand of `seat` to such a reader; by default as to the seat."""
        return self.describe_hand(view)

    def describe_turn(self, view: V) -> Iterable[Phrase]:
        """Describe the decision of the View's seat, and the cost of each answer; by default what it holds.

        It is said at each turn, alone: what belongs to the decision from table and hand is repeated here.
        """
        return self.describe_hand(view)

    def describe_scores(self, view: V) -> Iterable[Phrase]:
        """Describe the standings; by default the whole table."""
        return self.describe_table(view)

    def condense_log(self, log: Iterable[Phrase]) -> Iterable[Phrase]:
        """Join sentences of the log that say the same of one seat after the other; by default none."""
        return log

    def count_points(self, turns: Sequence[Sequence[F]]) -> Iterable[Gain]:  # noqa: ARG002 - a result needs no reason
        """Count the points of a finished game one by one, from the facts of all its moves; by default none."""
        return ()

    def list_remarks(
        self,
        turns: Sequence[Sequence[F]],  # noqa: ARG002 - bots need not say anything
        player: Seat,  # noqa: ARG002
        bots: Collection[Seat],  # noqa: ARG002
    ) -> Iterable[Remark]:
        """Yield the remarks of `bots` to a player after a game whose points are counted; by default nothing.

        The facts are those that the player was sent. The first remark is said: what teaches most.
        """
        return ()


class Game(ABC, Generic[O, S, M, V, F]):
    """One game. Seats are numbered clockwise from 0; a seat of None stands for a spectator.

    `option_files` are the options that a host may set from a text file, each with its reader: the file's text in, the
    option's value out; ValueError says which line is wrong. `daily_plans` are those of the daily deals from Monday to
    Sunday, from easy to hard, for five to ten minutes each; without them a server plans by the number of players.

    Type parameters: `S` state, `M` move, `V` View, `F` fact, and the game's options. The only caller of `check` and
    `apply` is `engine.play.play_move`.
    """

    info: Info
    codec: Codec[O, S, M, V, F]
    text: Text[M, V, F]
    option_files: ClassVar[Mapping[str, Callable[[str], Any]]] = {}
    daily_plans: ClassVar[Sequence[DailyPlan]] = ()

    @abstractmethod
    def setup(self, options: O, seats: int, dice: Dice) -> S:
        """Return the first state; all its randomness comes from `dice`. Options and seats have been validated."""

    def deal(self, options: O, seats: int, dice: Dice, dealer: Seat | None) -> S:  # noqa: ARG002 - most have no dealer
        """Return the first state, dealt by `dealer` if the game before has determined that, else as `setup` does."""
        return self.setup(options, seats, dice)

    def next_dealer(self, state: S) -> Seat | None:  # noqa: ARG002 - most games have no dealer
        """Return who deals the rematch; None in a game without a dealer."""
        return None

    @abstractmethod
    def pending(self, state: S) -> frozenset[Seat]:
        """Return the seats that owe a move: none when the game is over, several in a simultaneous phase."""

    @abstractmethod
    def check(self, state: S, seat: Seat, move: M) -> Refusal | None:
        """Return why a move is illegal, or None. The only place that decides legality."""

    @abstractmethod
    def apply(self, state: S, seat: Seat, move: M) -> Step[S, F]:
        """Apply a move that `check` allows. The last commitment of a simultaneous phase resolves it."""

    @abstractmethod
    def outcome(self, state: S) -> Outcome | None:
        """Return the result of a finished game; not None exactly when no seat is pending."""

    def round(self, state: S) -> tuple[int, ...]:  # noqa: ARG002 - many games have no rounds
        """Return the number of a state's round, greatest part first, such as (cycle, round). It never falls.

        It is public. Spectators of a table that shows rounds see the game as it was when a round ended; in a game
        without rounds that is the end of the game.
        """
        return ()

    @abstractmethod
    def view(self, state: S, seat: Seat | None) -> V:
        """Build the View of `seat` from an allow-list: only what the seat may know."""

    @abstractmethod
    def moves(self, view: V) -> Sequence[M]:
        """List the legal moves of the View's seat, from which clients, bots and tests choose.

        If there can be very many, the sequence computes them on access, the most useful first.
        """

    @abstractmethod
    def fallback(self, view: V) -> M:
        """Return the fallback move, played after a timeout; always legal for a pending seat."""

    @abstractmethod
    def imagine(self, view: V, dice: Dice) -> S:
        """Invent a state that this View could come from: `view(imagine(v, dice), seat) == v`."""


AnyGame: TypeAlias = Game[Any, Any, Any, Any, Any]


def rank_places(ranks: Sequence[int]) -> tuple[int, ...]:
    """Rank scores, the highest first, from 1; ties share a place and the next one is skipped."""
    return tuple(1 + sum(other > mine for other in ranks) for mine in ranks)
