"""Questions of Dicht dran in the terms of the kernel: the choice of a card, and everybody's chances."""

from collections.abc import MutableSequence, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from scoville_shared.bots.dicht_dran.kernel import STRIDE
from scoville_shared.bots.dicht_dran.policies import POPULATION
from scoville_shared.bots.dicht_dran.table import KnownCycle, list_seen, list_worth, make_space
from scoville_shared.bots.machine import Machine
from scoville_shared.coach.base import Policy, Sums
from scoville_shared.coach.dicht_dran import kernel
from scoville_shared.coach.sample import Aim, Sample
from scoville_shared.coach.tally import COLUMNS
from scoville_shared.solvers.dicht_dran.equilibrium import round_game, shares_of
from scoville_shared.values import Plain

PLAYERS = 2
"""An equilibrium of a round is computed for so many players."""


class RoundQuestion(Struct, frozen=True, kw_only=True):
    """A choice of a card from the hand; `unseen` are the cards that may be in other hands or the pile.

    Of a `hand` that is known in part only the known cards are moves; the others are among the unseen ones.
    """

    moves: list[Plain]
    cycle: KnownCycle
    me: int
    hand: list[int]
    unseen: list[int]
    known: list[int]
    policy: Policy
    aim: Aim

    @property
    def all_worlds(self) -> int:
        """Deals are always sampled."""
        return 0

    def with_moves(self, places: Sequence[int]) -> "RoundQuestion":
        """Return the question with a choice of its cards."""
        return replace(self, moves=[self.moves[place] for place in places])

    def add_worlds(self, machine: Machine, worlds: range, rng: MutableSequence[int] | None, to: Sums) -> None:
        """Play the cards out."""
        numbers, table = machine.numbers, self.cycle
        seats = len(table.sizes)
        machine.load(kernel).compare_cards(
            list_seen(machine, table, self.me, self.hand, self.unseen),
            numbers(int(move["card"]) for move in self.moves),
            list_worth(machine, table.peppers, seats), numbers(self.known), len(POPULATION), len(worlds), rng,
            _make_space(machine, seats, len(self.moves)), *to,
        )  # fmt: skip

    def solve_exactly(self, machine: Machine) -> Sample | None:  # noqa: ARG002 - perfect play is not known
        """Return nothing: a round can be solved, the rest of the game cannot."""
        return None

    def equilibrium_shares(self, machine: Machine) -> tuple[float, ...]:
        """Return how often an equilibrium of this round plays each card; that of two players who know their hands."""
        table, hand = self.cycle, self.hand
        if len(table.sizes) != PLAYERS or len(hand) != table.sizes[self.me]:
            return ()
        sizes = (len(hand), table.sizes[1 - self.me])
        game = round_game(table.circle, table.slot, [*hand, *self.unseen], table.peppers, sizes)
        found = shares_of(game, hand, machine)
        return tuple(found[hand.index(int(move["card"]))] for move in self.moves) if found else ()


class ChanceQuestion(NamedTuple):
    """Everybody's chances with these hands; `over` once the last cycle is scored."""

    cycle: KnownCycle
    hands: list[list[int]]
    pile: list[int]
    known: list[int]
    over: bool

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.cycle.sizes)

    def add_worlds(
        self, machine: Machine, worlds: int, rng: MutableSequence[int], sums: MutableSequence[float]
    ) -> None:
        """Play the game out."""
        table, seats = self.cycle, self.seats
        places = [card for hand in self.hands for card in (hand + [0] * STRIDE)[:STRIDE]]
        machine.load(kernel).expect_scores(
            list_seen(machine, table, -1, places, self.pile), self.over, list_worth(machine, table.peppers, seats),
            machine.numbers(self.known), len(POPULATION), worlds, rng, _make_space(machine, seats, 0), sums,
        )  # fmt: skip


def _make_space(machine: Machine, seats: int, moves: int) -> kernel.Space:
    return kernel.Space(
        make_space(machine, seats), machine.numbers([0] * seats), machine.floats([0.0] * (COLUMNS * moves))
    )
