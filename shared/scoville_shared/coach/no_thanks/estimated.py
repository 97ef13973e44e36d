"""Figures of rounds of two seats that are too large to be solved: the next cards are searched, later ones estimated."""

from collections.abc import Sequence
from math import comb
from typing import Any

from scoville_shared.bots.machine import Machine
from scoville_shared.coach.no_thanks import duel, exact, fitted
from scoville_shared.coach.no_thanks.table import Round
from scoville_shared.coach.sample import Aim, Sample, uncertain

FITS = 4
"""Estimates are fitted so often, to random positions of their own; their spread is part of the standard error."""

POSITIONS, MOST_POSITIONS = 6_000, 1_000
"""Each fit looks at so many positions, and at most at so many with equally many cards taken."""

LOOKS = 6
"""In each position so many next cards are tried."""

MOST_SEARCHED = 4_000
"""Sets of cards taken by either seat, at which the search ends, at most."""

SPREAD = 2_654_435_769
"""Makes large numbers of small seeds, whose first random numbers would be much alike."""

OFF = (0.8, 0.006, 0.3)
"""How far the mean of the fits is from exact scores, shares of the win and leads, if many cards were removed."""

FEW_REMOVED = 5.0
"""How much farther it is if no card was removed: then little is left to chance at the end, and estimates level less."""


def worthwhile(table: Round, machine: Machine) -> bool:
    """Whether there is anything to estimate, and the machine is fast enough for it."""
    return machine.divisor == 1 and len(table.chips) == duel.TAKERS and table.left > 1


def estimate(machine: Machine, table: Round, moves: Sequence[Any], aim: Aim) -> Sample:
    """Return the figures of moves; their worlds are the random positions that estimates were fitted to."""
    fits = [_by_one_fit(machine, table, number + 1, lead_only=aim is Aim.LEAD) for number in range(FITS)]
    rows = [[found[str(move["action"])] for move in moves] for found in fits]
    more = 1 + FEW_REMOVED / (1 + len(table.unseen) - table.left)
    return uncertain(moves, aim, rows, [error * more for error in OFF], FITS * fitted_positions(table))


def _by_one_fit(machine: Machine, table: Round, seed: int, *, lead_only: bool) -> dict[str, exact.Row]:
    numbers, zeros, kernel = machine.numbers, machine.zeros, machine.load(fitted)
    chips, known = exact.chips_of(table), searched(table)
    positions = fitted_positions(table) // (table.left - known)
    width = (chips + 1) * duel.PARTS
    weights, features, worth = zeros(fitted.FEATURES * width), zeros(fitted.FEATURES), zeros(2 * (chips + 1))
    kernel.fit(
        numbers(table.owned), table.card, numbers(table.unseen), table.left, known, chips, positions, LOOKS,
        numbers([seed * SPREAD % 2**32]), exact.room_for_stops(machine, table), weights, zeros(fitted.FEATURES**2),
        zeros(fitted.FEATURES * width), features, zeros(duel.TAKERS * width), zeros(duel.TAKERS * width), worth,
    )  # fmt: skip

    def search(owned: Any, points: Any, room: Sequence[Any]) -> bool:
        binomials = numbers([0] * duel.MOST_UNSEEN**2)
        return bool(
            kernel.search(
                owned,
                points,
                numbers(table.unseen),
                known,
                chips,
                lead_only,
                weights,
                binomials,
                worth,
                features,
                *room,
            )
        )

    return exact.from_first_card(machine, table, known, search, lead_only=lead_only)


def fitted_positions(table: Round) -> int:
    """Return how many random positions a fit looks at."""
    layers = table.left - searched(table)
    return min(MOST_POSITIONS, POSITIONS // layers) * layers


def searched(table: Round) -> int:
    """Return how many cards ahead the search goes."""
    cards, known = len(table.unseen), 1
    while known + 1 < table.left and comb(cards, known + 1) * 2 ** (known + 1) <= MOST_SEARCHED:
        known += 1
    return known
