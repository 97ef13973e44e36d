"""The game contract: what one object must offer to be played, shown, stored, searched and proved.

A game is pure: no clock, no socket, no chance but the Dice it is given. Every value is a frozen struct.
The law suite in tests/laws runs over every registered game; docs/adding-a-game.md is the way to a new one.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any, Generic, TypeAlias, TypeVar

from msgspec import Struct

from scoville_shared.engine.codec import Codec
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat

O = TypeVar("O")  # noqa: E741 - options
S = TypeVar("S")  # state
M = TypeVar("M")  # move
V = TypeVar("V")  # view
F = TypeVar("F")  # fact


class Info(Struct, frozen=True, kw_only=True):
    """What a lobby needs to know of a game.

    `seats` and `official` are (fewest, most); seat counts outside `official` are offered, marked unofficial.
    `max_moves` bounds the moves of a whole game under any options.
    """

    slug: str
    title: str
    seats: tuple[int, int]
    official: tuple[int, int]
    rules_version: int
    max_moves: int


class Refusal(Struct, frozen=True):
    """Why a move is not legal: a stable reason, and the values its sentence needs."""

    reason: StrEnum
    data: dict[str, int | str] = {}


class Outcome(Struct, frozen=True):
    """How a game ended: a score and a place for each seat (ties share the better place), and why."""

    scores: tuple[int, ...]
    places: tuple[int, ...]
    reason: StrEnum


class Addressed(Struct, Generic[F], frozen=True, gc=False):
    """A fact, and the one seat that may know it (None: everybody)."""

    to: Seat | None
    fact: F


class Step(Struct, Generic[S, F], frozen=True, gc=False):
    """What a legal move leads to: the next state, and what happened, in order."""

    state: S
    facts: Sequence[Addressed[F]]


class Text(ABC, Generic[M, V, F]):
    """The game in sentences, for the log, the line mode and the transcript."""

    @abstractmethod
    def fact(self, fact: F) -> Phrase | None:
        """Tell what happened; None for facts that only animate."""

    @abstractmethod
    def move(self, move: M) -> Phrase:
        """Name a move, short enough for a menu."""

    def read(self, typed: str, view: V) -> M | Refusal | None:  # noqa: ARG002 - most games have no notation
        """Read a move typed in the game's own notation, or say what is wrong with it; None if it is not in one."""
        return None

    @abstractmethod
    def refusal(self, refusal: Refusal) -> Phrase:
        """Say why a move was refused and what would do instead."""

    @abstractmethod
    def table(self, view: V) -> Iterable[Phrase]:
        """Describe the whole table as this View sees it, a line a thing."""

    def hand(self, view: V) -> Iterable[Phrase]:
        """Describe what the View's seat has; the whole table where a game does not tell it apart."""
        return self.table(view)

    def scores(self, view: V) -> Iterable[Phrase]:
        """Describe how everybody stands; the whole table where a game does not tell it apart."""
        return self.table(view)


class Game(ABC, Generic[O, S, M, V, F]):
    """One game. Seats are numbered clockwise; a seat of None asks for what a spectator sees."""

    info: Info
    codec: Codec[O, S, M, V, F]
    text: Text[M, V, F]

    @abstractmethod
    def setup(self, options: O, seats: int, dice: Dice) -> S:
        """Lay out the game; all its chance comes from `dice`. Options and seats have been validated."""

    def deal(self, options: O, seats: int, dice: Dice, dealer: Seat | None) -> S:  # noqa: ARG002 - most have no dealer
        """Lay out the game, with `dealer` to deal where the game before has settled that; None: nothing is settled."""
        return self.setup(options, seats, dice)

    def next_dealer(self, state: S) -> Seat | None:  # noqa: ARG002 - most games have no dealer
        """Name who deals when the same people play again; None for a game in which nobody does."""
        return None

    @abstractmethod
    def pending(self, state: S) -> frozenset[Seat]:
        """Name the seats that owe a move: none when the game is over, many in a simultaneous phase."""

    @abstractmethod
    def check(self, state: S, seat: Seat, move: M) -> Refusal | None:
        """Judge a move: the only place that decides what is legal."""

    @abstractmethod
    def apply(self, state: S, seat: Seat, move: M) -> Step[S, F]:
        """Carry out a move that `check` let pass. The last commitment of a simultaneous phase resolves it."""

    @abstractmethod
    def outcome(self, state: S) -> Outcome | None:
        """Score a finished game; not None exactly when nobody is pending."""

    def round(self, state: S) -> tuple[int, ...]:  # noqa: ARG002 - many games have no rounds
        """Number the round that a state lies in, the greatest part first: (cycle, round). No number ever falls.

        Everybody can see it. Spectators of a table that shows them rounds see the game when a round ends; without
        rounds that is when the game does.
        """
        return ()

    @abstractmethod
    def view(self, state: S, seat: Seat | None) -> V:
        """Build what `seat` may know, from an allow-list."""

    @abstractmethod
    def moves(self, view: V) -> Sequence[M]:
        """List the legal moves of the View's seat: what clients, bots and tests choose from.

        Where there can be very many, the sequence makes only those that are asked for, the most useful first.
        """

    @abstractmethod
    def fallback(self, view: V) -> M:
        """Choose the move a clock plays for somebody absent; always legal for a pending seat."""

    @abstractmethod
    def imagine(self, view: V, dice: Dice) -> S:
        """Invent a state that this View could come from: `view(imagine(v, dice), seat) == v`."""


AnyGame: TypeAlias = Game[Any, Any, Any, Any, Any]


def places(ranks: Sequence[int]) -> tuple[int, ...]:
    """Number the places of scores of which more is better: 1, then ties share and the next place is skipped."""
    return tuple(1 + sum(other > mine for other in ranks) for mine in ranks)
