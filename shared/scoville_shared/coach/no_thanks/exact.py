"""Exact figures under perfect play: what solving the last round of No Thanks! costs, and what its actions lead to."""

from collections.abc import Callable, Sequence
from math import comb, perm
from typing import Any

from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_shared.bots.no_thanks.kernel import change
from scoville_shared.bots.random_numbers import next_random
from scoville_shared.coach.no_thanks import duel, perfect
from scoville_shared.coach.no_thanks.table import Round

Row = tuple[float, float, float]
"""The mover's final score, share of the win and lead."""

MOST_POSITIONS = 60_000_000
"""Positions of two seats between two cards that are looked at on a fast machine at most; it takes about a second."""

FEW_REMOVED, PATIENT_POSITIONS = 3, 200_000_000
"""If at most so many cards were removed, estimates are weak, and more is solved: it takes up to four seconds."""

LAST_EACH = 3
"""So many positions before the last card take as long as one before."""

PROBES, MOST_LEFT = 100, 6
"""So many random ways through a round of at most so many cards tell how large it is."""

SLOWER = 3
"""In plain Python so much less of that is done, beyond its smaller samples: it takes about a second, too."""

MOST_ENDS = 6_000_000
"""Ends of a round of more seats that are looked at on a fast machine at most; it takes a third of a second."""

FEW_POSITIONS, FEW_ENDS = 10_000, 8_000
"""For so little plain Python is used on every machine: it takes less than 50 ms, and machine code has to be loaded."""


def affordable(table: Round, machine: Machine) -> bool:
    """Whether a round can be solved in time."""
    divisor = 1 if machine.divisor == 1 else SLOWER * machine.divisor
    if len(table.chips) == duel.TAKERS:
        few = len(table.unseen) - table.left <= FEW_REMOVED and divisor == 1
        return positions(table) <= (PATIENT_POSITIONS if few else MOST_POSITIONS // divisor)
    return table.left <= MOST_LEFT and ends(table) <= MOST_ENDS // divisor


def positions(table: Round) -> int:
    """Count the positions of two seats that a solution looks at, each with the card that is turned up next."""
    cards, counts = len(table.unseen), chips_of(table) + 1
    layers = [comb(cards, taken) * 2**taken * (cards - taken) for taken in range(table.left)]
    return int(counts * duel.TAKERS**2 * (sum(layers[:-1]) + sum(layers[-1:]) // LAST_EACH))


def ends(table: Round) -> int:
    """Estimate how many ends of the round a solution for more seats looks at, by random ways through it (Knuth)."""
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


def solve(machine: Machine, table: Round, *, lead_only: bool) -> dict[str, Row]:
    """Solve the last round, and return what each action leads to.

    Args:
        lead_only: Whether everybody maximizes the lead; else the share of the win comes first.
    """
    if len(table.chips) == duel.TAKERS:
        suited = INTERPRETED if positions(table) <= FEW_POSITIONS else machine
        return solve_two(suited, table, lead_only=lead_only)
    return solve_more(INTERPRETED if ends(table) <= FEW_ENDS else machine, table, lead_only=lead_only)


def solve_more(machine: Machine, table: Round, *, lead_only: bool) -> dict[str, Row]:
    """Solve the last round by going through all of it; fit for any number of seats and few cards."""
    seats, numbers = len(table.chips), machine.numbers
    values = machine.zeros(3 * seats * perfect.ROWS * (table.left + 1))
    machine.load(perfect).solve(
        numbers(table.chips), numbers(table.owned), numbers(_points(table)), numbers(table.unseen), table.left,
        table.card, table.pot, table.mover, lead_only, numbers([0] * (perfect.FRAME * (table.left + 1))), values,
    )  # fmt: skip
    at = {"take": 3 * seats * perfect.TAKEN, "pass": 3 * seats * perfect.PASSED}
    return {action: _mover_row(values, place + 3 * table.mover, lead_only) for action, place in at.items()}


def _mover_row(values: Sequence[float], at: int, lead_only: bool) -> Row:
    worth, score, share = (float(value) for value in values[at : at + 3])
    return score, share, worth if lead_only else (worth - share) * 1000.0


def _points(table: Round) -> list[int]:
    """Return the points of all rounds so far, without chips."""
    return [before + now for before, now in zip(table.totals, table.points, strict=True)]


def solve_two(machine: Machine, table: Round, *, lead_only: bool) -> dict[str, Row]:
    """Solve the last round of two seats."""
    numbers, chips = machine.numbers, chips_of(table)

    def settle(owned: Any, points: Any, room: Sequence[Any]) -> bool:
        swapped = machine.load(duel).settle(
            owned, points, numbers(table.unseen), table.left, chips, lead_only, numbers([0] * duel.MOST_UNSEEN**2),
            room_for_stops(machine, table), machine.zeros(2 * (chips + 1)), *room,
        )  # fmt: skip
        return bool(swapped)

    return from_first_card(machine, table, max(table.left - 1, 0), settle, lead_only=lead_only)


def from_first_card(
    machine: Machine, table: Round, known: int, settle: Callable[[Any, Any, Sequence[Any]], bool], *, lead_only: bool
) -> dict[str, Row]:
    """Return what each action on the first card leads to.

    Args:
        known: The number of the layer from which `settle` works back.
        settle: Solves what follows a taken card from both seats' cards and points, in room for two layers; returns
            whether it is in the second one.
    """
    width = (chips_of(table) + 1) * duel.PARTS
    outcomes: list[float] = []
    for taker in range(duel.TAKERS):
        owned, points = list(table.owned), _points(table)
        points[taker] += change(owned[taker], table.card)
        owned[taker] |= 1 << table.card
        room = [machine.zeros(cells) for cells in _layers(table, known)]
        swapped = settle(machine.numbers(owned), machine.numbers(points), room)
        outcomes += [float(part) for part in room[swapped][taker * width : (taker + 1) * width]]
    return _first_card(table, outcomes, lead_only=lead_only)


def room_for_stops(machine: Machine, table: Round) -> Any:
    """Return working space for all changes by a last card (see `duel.LOWEST`)."""
    changes = 2 * max(table.unseen, default=0) + 1 - duel.LOWEST
    return machine.numbers([0] * (changes * duel.TAKERS * (chips_of(table) + 1)))


def chips_of(table: Round) -> int:
    """Count all chips."""
    return sum(table.chips) + table.pot


def _first_card(table: Round, outcomes: Sequence[float], *, lead_only: bool) -> dict[str, Row]:
    """Return what the actions on the first card lead to, from the outcomes by taker and the first seat's chips."""
    (mine, other), mover, pot = table.chips, table.mover, table.pot
    worth = [duel.value(outcomes, at, lead_only) for at in range(0, len(outcomes), duel.PARTS)]
    size = len(worth) // duel.TAKERS
    taking = duel.taken_after(size, mine, pot, mover, 0)
    mine, other = mine - (mover == 0), other - (mover == 1)
    count = duel.passes(worth, size, mine, other, pot + 1, 1 - mover, 0)
    passing = duel.taken_after(size, mine, pot + 1, 1 - mover, count)
    return {"take": _row(outcomes, taking, mover), "pass": _row(outcomes, passing, mover)}


def _row(outcomes: Sequence[float], place: int, mover: int) -> Row:
    *scores, share = outcomes[place * duel.PARTS : (place + 1) * duel.PARTS]
    return scores[mover], 1 - share if mover else share, scores[1 - mover] - scores[mover]


def _layers(table: Round, known: int) -> tuple[int, int]:
    """Return how many numbers the layers have at most: those an even way from the last, `known` one, and the others."""
    width = duel.TAKERS * duel.PARTS * (chips_of(table) + 1)
    sizes = [comb(len(table.unseen), taken) * 2**taken * width for taken in range(known, -1, -1)]
    return max(sizes[::2]), max(sizes[1::2], default=1)
