"""Questions of Chilli Chase in the terms of the kernel: the choice of a play or a Chilli Score, and the chances."""

from collections.abc import MutableSequence, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from scoville_shared.bots.machine import Machine
from scoville_shared.coach.base import Policy, Sums
from scoville_shared.coach.chilli_chase import kernel
from scoville_shared.coach.sample import Aim, Sample
from scoville_shared.coach.tally import COLUMNS
from scoville_shared.values import Plain

POPULATION = 2
"""Policies that seats are drawn from."""


class Turn(Struct, frozen=True, kw_only=True):
    """A table in the kernel's numbers; `hands` of others are empty where they are not known."""

    now: list[int]
    rules: list[int]
    hands: list[int]
    scores: list[int]
    points: list[int]
    hot: list[int]


class TurnQuestion(Struct, frozen=True, kw_only=True):
    """A choice of a play, or of a Chilli Score; `candidates` are the kernel's pair for each move."""

    moves: list[Plain]
    candidates: list[tuple[int, int]]
    turn: Turn
    me: int
    unseen: list[int]
    policy: Policy
    aim: Aim

    @property
    def all_worlds(self) -> int:
        """Deals are always sampled."""
        return 0

    def with_moves(self, places: Sequence[int]) -> "TurnQuestion":
        """Return the question with a choice of its moves."""
        moves, candidates = ([row[place] for place in places] for row in (self.moves, self.candidates))
        return replace(self, moves=moves, candidates=candidates)

    def add_worlds(self, machine: Machine, worlds: range, rng: MutableSequence[int] | None, to: Sums) -> None:
        """Play the choices out."""
        numbers, table = machine.numbers, self.turn
        machine.load(kernel).compare_choices(
            self.me, numbers(table.now), numbers(table.rules), numbers(table.hands), numbers(table.scores),
            numbers(table.points), numbers(self.unseen), numbers(table.hot),
            numbers(number for pair in self.candidates for number in pair),
            1 if self.policy is Policy.TRAINED else POPULATION, len(worlds), rng,
            numbers([0] * kernel.scratch_size(len(table.scores))),
            machine.floats([0.0] * (COLUMNS * len(self.moves))), *to,
        )  # fmt: skip

    def solve_exactly(self, machine: Machine) -> Sample | None:  # noqa: ARG002 - perfect play is not known
        """Return nothing: no solution is cheap."""
        return None

    def equilibrium_shares(self, machine: Machine) -> tuple[float, ...]:  # noqa: ARG002 - moves follow each other
        """Return nothing: no moves are made at the same time."""
        return ()


class ChanceQuestion(NamedTuple):
    """Everybody's chances with these hands; `cards` are those of the deck."""

    turn: Turn
    cards: list[int]

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.turn.scores)

    def add_worlds(
        self, machine: Machine, worlds: int, rng: MutableSequence[int], sums: MutableSequence[float]
    ) -> None:
        """Play the game out."""
        numbers, table = machine.numbers, self.turn
        machine.load(kernel).expect_scores(
            numbers(table.now), numbers(table.rules), numbers(table.hands), numbers(table.scores),
            numbers(table.points), numbers(self.cards), numbers(table.hot), POPULATION, worlds, rng,
            numbers([0] * kernel.scratch_size(self.seats)), sums,
        )  # fmt: skip
