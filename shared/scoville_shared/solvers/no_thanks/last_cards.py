"""Exact figures under perfect play: what solving the last round of No Thanks! costs, and what its actions lead to."""

from collections.abc import Sequence
from math import perm

from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_shared.bots.no_thanks.table import Round
from scoville_shared.bots.random_numbers import next_random
from scoville_shared.solvers.no_thanks import kernel

Row = tuple[float, float, float]
"""The mover's final score, share of the win and lead."""

PROBES, MOST_LEFT = 100, 6
"""So many random ways through a round of at most so many cards tell how large it is."""

SLOWER = 3
"""In plain Python so much less of that is done, beyond its smaller samples: it takes about a second, too."""

MOST_ENDS = 6_000_000
"""Ends of a round that are looked at on a fast machine at most; it takes a third of a second."""

FEW_ENDS = 8_000
"""For so few plain Python is used on every machine: it takes less than 50 ms, and machine code has to be loaded."""


def is_affordable(table: Round, machine: Machine) -> bool:
    """Whether a round can be solved in time."""
    divisor = 1 if machine.divisor == 1 else SLOWER * machine.divisor
    return table.left <= MOST_LEFT and count_ends(table) <= MOST_ENDS // divisor


def count_ends(table: Round) -> int:
    """Estimate how many ends of the round a solution looks at, by random ways through it (Knuth)."""
    # The same every time: whether a position is solved must not change from one look to the next.
    rng = [1]
    ways = sum(_ends_like_one(table, rng) for _ in range(PROBES)) // PROBES
    return int(ways * perm(len(table.unseen), table.left))


def _ends_like_one(table: Round, rng: list[int]) -> int:
    """Return how many ends there were, for given cards, if every choice were as wide as on one random way."""
    chips, pot, mover, ways = list(table.chips), table.pot, table.mover, 1
    for _ in range(table.left + 1):
        left, most = list(chips), 0
        while left[(mover + most) % len(left)]:
            left[(mover + most) % len(left)] -= 1
            most += 1
        passes = next_random(rng) % (most + 1)
        for _ in range(passes):
            chips[mover] -= 1
            mover = (mover + 1) % len(chips)
        chips[mover] += pot + passes
        pot, ways = 0, ways * (most + 1)
    return ways


def solve_last_cards(machine: Machine, table: Round, *, lead_only: bool) -> dict[str, Row]:
    """Solve the last round by going through all of it, and return what each action leads to.

    Args:
        lead_only: Whether everybody maximizes the lead; else the share of the win comes first.
    """
    suited = INTERPRETED if count_ends(table) <= FEW_ENDS else machine
    seats, numbers = len(table.chips), suited.numbers
    values = suited.floats([0.0] * (3 * seats * kernel.ROWS * (table.left + 1)))
    suited.load(kernel).solve(
        numbers(table.chips), numbers(table.owned), numbers(_points_by_seat(table)), numbers(table.unseen), table.left,
        table.card, table.pot, table.mover, lead_only, numbers([0] * (kernel.FRAME * (table.left + 1))), values,
    )  # fmt: skip
    at = {"take": 3 * seats * kernel.TAKEN, "pass": 3 * seats * kernel.PASSED}
    return {action: _mover_row(values, place + 3 * table.mover, lead_only) for action, place in at.items()}


def _mover_row(values: Sequence[float], at: int, lead_only: bool) -> Row:
    worth, score, share = (float(value) for value in values[at : at + 3])
    # Otherwise the worth is the share and a thousandth of the lead.
    return score, share, worth if lead_only else (worth - share) * 1000.0


def _points_by_seat(table: Round) -> list[int]:
    """Return the points of all rounds so far, without chips."""
    return [before + now for before, now in zip(table.totals, table.points, strict=True)]
