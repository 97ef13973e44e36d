"""Playout kernel of a search's sums: what the end of a playout is worth to a seat, and how far moves differ by it.

The functions use only the part of Python that numba compiles (see `bots.machine`).
"""

from collections.abc import MutableSequence

Floats = MutableSequence[float]


def utility_of_lead(lead: int, equals: int, final: bool) -> float:
    """Return the worth of a lead over the best other seat, at the end of a round.

    In the `final` round that is the share of the win, of which `equals` seats with one score have equal parts, and a
    little for the lead; before, the lead alone, since there is more to come.
    """
    if not final:
        # Utilities of a search are all of one kind, so the scale matters to nobody; it keeps them near shares.
        return lead / 100.0
    share = 0.0
    if lead >= 0:
        share = 1.0 / equals
    # A thousandth a point never outweighs a share of the win, and tells moves apart that win or lose alike.
    return share + lead / 1000.0


COLUMNS = 4
"""Sums of each move: its utilities, their differences to a reference, the squares of those, and its worlds."""

WORLDS = 3
"""The place of the last one."""


def add_utility(sums: Floats, number: int, utility: float, reference: float) -> None:
    """Add a move's utility in one world: itself, its difference to a reference, the square of that, and one world.

    Differences are taken world by world, where both moves met the same cards: they vary less than the utilities do.
    """
    difference = utility - reference
    sums[COLUMNS * number] += utility
    sums[COLUMNS * number + 1] += difference
    sums[COLUMNS * number + 2] += difference * difference
    sums[COLUMNS * number + WORLDS] += 1.0
