"""Questions of No Thanks! in the terms of the kernel: the decision on a card, and everybody's chances."""

from collections.abc import MutableSequence, Sequence
from math import perm
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from scoville_shared.bots.machine import Machine
from scoville_shared.bots.no_thanks.kernel import PASS_FIRST, TAKE_FIRST
from scoville_shared.bots.no_thanks.policies import POPULATION, WEIGHTS
from scoville_shared.bots.no_thanks.table import Round
from scoville_shared.coach.base import Policy, Sums
from scoville_shared.coach.no_thanks import kernel
from scoville_shared.coach.sample import Aim, Sample, certain_sample
from scoville_shared.coach.tally import COLUMNS
from scoville_shared.solvers.no_thanks import last_cards
from scoville_shared.values import Plain

FIRSTS = {"take": TAKE_FIRST, "pass": PASS_FIRST}
"""What the kernel does first, by the action of a move."""


class CardQuestion(Struct, frozen=True, kw_only=True):
    """Whether to take the card."""

    moves: list[Plain]
    round: Round
    policy: Policy
    aim: Aim

    @property
    def population(self) -> int:
        """How many policies opponents are drawn from."""
        return len(POPULATION) if self.policy is Policy.MIXED else 1

    @property
    def all_worlds(self) -> int:
        """All orders of the cards face down times all choices of opponents; 0 if another round is to be dealt."""
        table = self.round
        if table.rounds:
            return 0
        orders = perm(len(table.unseen), table.left)
        return int(orders * self.population ** (len(table.chips) - 1))

    def with_moves(self, places: Sequence[int]) -> "CardQuestion":
        """Return the question with a choice of its moves."""
        return replace(self, moves=[self.moves[place] for place in places])

    def add_worlds(self, machine: Machine, worlds: range, rng: MutableSequence[int] | None, to: Sums) -> None:
        """Play the moves out."""
        numbers, table = machine.numbers, self.round
        machine.load(kernel).compare_answers(
            table.mover, *_make_lists(machine, table), numbers(FIRSTS[str(move["action"])] for move in self.moves),
            numbers(WEIGHTS), self.population, worlds.start, len(worlds), numbers([]) if rng is None else rng,
            numbers([0] * (8 * len(table.chips) + len(table.unseen))),
            machine.floats([0.0] * (COLUMNS * len(self.moves))), *to,
        )  # fmt: skip

    def solve_exactly(self, machine: Machine) -> Sample | None:
        """Solve the last round where few cards are left."""
        table = self.round
        if self.policy is Policy.TRAINED or table.rounds or not last_cards.is_affordable(table, machine):
            return None
        found = last_cards.solve_last_cards(machine, table, lead_only=self.aim is Aim.LEAD)
        return certain_sample(self.moves, self.aim, [found[str(move["action"])] for move in self.moves])

    def equilibrium_shares(self, machine: Machine) -> tuple[float, ...]:  # noqa: ARG002 - moves follow each other
        """Return nothing: no moves are made at the same time."""
        return ()


class ChanceQuestion(NamedTuple):
    """Everybody's chances in a round on the table."""

    round: Round

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.round.chips)

    def add_worlds(
        self, machine: Machine, worlds: int, rng: MutableSequence[int], sums: MutableSequence[float]
    ) -> None:
        """Play the game out."""
        table, numbers = self.round, machine.numbers
        machine.load(kernel).expect_scores(
            table.mover, *_make_lists(machine, table), numbers(WEIGHTS), len(POPULATION), worlds, rng,
            numbers([0] * (8 * self.seats)), sums,
        )  # fmt: skip


def _make_lists(machine: Machine, table: Round) -> tuple[object, ...]:
    """Return a table in the order of the kernel's arguments."""
    numbers = machine.numbers
    return (
        numbers(table.chips), numbers(table.owned), numbers(table.points), numbers(table.unseen), table.left,
        table.card, table.pot, numbers(table.totals), numbers(table.whole), table.rounds, table.chips_each,
    )  # fmt: skip
