"""Exact figures under perfect play: what actions lead to in the last round of No Thanks!, where few cards are left."""

from collections.abc import Sequence

from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_shared.bots.no_thanks.table import Round
from scoville_shared.solvers.no_thanks import kernel

Row = tuple[float, float, float]
"""The mover's final score, share of the win and lead."""

MOST_LEFT = 6
"""With more cards face down there are always too many states."""

MOST_STEPS = 10_000_000
"""Moves that are looked at on a fast machine at most; it takes a third of a second."""

SLOWER = 3
"""In plain Python so much less of that is done, beyond its smaller samples: it takes about a second, too."""

FEW_STEPS = 8_000
"""For so few plain Python is used on every machine: it takes less than 50 ms, and machine code has to be loaded."""

ROOMS = (64, 4_096, 32_768, 262_144)
"""Numbers of states that memory is laid out for in turn, powers of two: most endings need few, and that takes time."""

WIDER = 5
"""A layer has at least so many times the states of the one before: what is certainly too large is not begun again."""

BITS = 63
"""Bits of the number of a state."""


def solve_last_cards(machine: Machine, table: Round, *, lead_only: bool) -> dict[str, Row] | None:
    """Solve the last round by going through all of it; return what each action leads to, None if there is too much.

    Args:
        lead_only: Whether all players maximize the lead; else the share of the win comes first.
    """
    units = _units_of(table)
    if table.left > MOST_LEFT or units[-1] * len(table.chips) >> BITS:
        return None
    most = MOST_STEPS // (1 if machine.divisor == 1 else SLOWER * machine.divisor)
    # Plain Python first: a small ending is solved before machine code would be loaded.
    attempts = [(INTERPRETED, ROOMS[0], FEW_STEPS), *((machine, room, most) for room in ROOMS[1:])]
    for suited, room, steps in attempts:
        ending, memory = _lay_out(suited, table, units, room, lead_only)
        status = suited.load(kernel).solve_ending(ending, memory, steps)
        if status == kernel.SOLVED:
            return {"take": _read_row(ending, memory, kernel.TAKEN), "pass": _read_row(ending, memory, kernel.PASSED)}
        if (status == kernel.LONG and steps == most) or room * WIDER ** (status - 1) > ROOMS[-1]:
            break
    return None


def _units_of(table: Round) -> list[int]:
    """Return the place values of the digits in the number of a state (see `kernel.Memory`)."""
    seats, cards = len(table.chips), len(table.unseen) + 1
    units = [(seats + 1) ** number for number in range(cards)]
    whole, most = (seats + 1) ** cards, sum(table.chips) + table.pot + 1
    return [*units, *(whole * most**seat for seat in range(seats - 1)), 0, whole * most ** (seats - 1)]


def _lay_out(
    machine: Machine, table: Round, units: Sequence[int], room: int, lead_only: bool
) -> tuple[kernel.LastRound, kernel.Memory]:
    """Return a round in a machine's numbers, with room for so many states."""
    numbers, width = machine.numbers, len(table.chips) + 2
    ending = kernel.LastRound(
        numbers(table.chips), numbers(table.owned), numbers(_points_by_seat(table)),
        numbers([table.card, *table.unseen]), table.left, table.pot, table.mover, lead_only,
    )  # fmt: skip
    memory = kernel.Memory(
        numbers(units), numbers([0] * room), numbers([0] * (2 * room)), machine.floats([0.0] * (room * width)),
        numbers([0] * len(ending.cards)), machine.floats([0.0] * (kernel.ROWS * width)),
    )  # fmt: skip
    return ending, memory


def _read_row(ending: kernel.LastRound, memory: kernel.Memory, row: int) -> Row:
    seats = len(ending.chips)
    at = row * (seats + 2)
    worth, score, share = (float(memory.rows[at + column]) for column in (ending.mover, seats, seats + 1))
    # Otherwise the worth is the share and a thousandth of the lead.
    return score, share, worth if ending.lead_only else (worth - share) * 1000.0


def _points_by_seat(table: Round) -> list[int]:
    """Return the points of all rounds so far, without chips."""
    return [before + now for before, now in zip(table.totals, table.points, strict=True)]
