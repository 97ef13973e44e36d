"""Playout kernel of a search's sums: what the end of a playout is worth to a seat, and how far moves differ by it.

The functions use only the part of Python that numba compiles (see `bots.machine`).
"""

from collections.abc import MutableSequence, Sequence

Numbers = MutableSequence[int]
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


ALL_MOVES, HALF = 3, 9
"""Up to so many times the worlds of a part every move is played out, then the better half, then the best quarter.

In ten parts each of the three has about a third of the playouts.
"""

FEWEST = 2
"""Moves that are always compared."""


def keep_better_moves(sums: Sequence[float], worlds: int, count: int, kept: Numbers) -> int:
    """Choose the moves that are played out next; returns how many.

    They are ranked by their mean difference to the first move, which is always played out: in the same worlds that is
    the same as by their values, and those that left before had other worlds.

    Args:
        sums: The sums so far.
        worlds: The worlds of a part.
        count: How many moves there are.
        kept: Gets a 1 for each move that is played out, a 0 for each other one.
    """
    most = count
    if sums[WORLDS] >= HALF * worlds:
        most = max(count // 4, FEWEST)
    elif sums[WORLDS] >= ALL_MOVES * worlds:
        most = max(count // 2, FEWEST)
    playing = 0
    for number in range(count):
        better = 0
        if most < count:
            mine = sums[COLUMNS * number + 1] / sums[COLUMNS * number + WORLDS]
            for other in range(count):
                theirs = sums[COLUMNS * other + 1] / sums[COLUMNS * other + WORLDS]
                better += 1 if theirs > mine or (theirs == mine and other < number) else 0
        kept[number] = 1 if better < most or number == 0 else 0
        playing += kept[number]
    return playing
