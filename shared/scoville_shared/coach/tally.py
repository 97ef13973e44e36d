"""Playout kernel of the coach's sums: what a seat's moves led to in one world, and how moves differ across worlds.

The functions use only the part of Python that numba compiles (see `bots.machine`).
"""

from collections.abc import MutableSequence, Sequence

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

SCORE, WIN, LEAD, FIRST, SECOND, THIRD = range(6)
"""Columns of a move: final score, share of the win, lead over the best other seat, and three of the game's own."""

COLUMNS = 6
COMPARED = 3
"""So many of them, the first ones, are compared between moves."""


def note_results(me: int, finals: Sequence[int], sign: int, results: Floats, at: int) -> None:
    """Write a seat's score, share of the win and lead, from `at` on; `sign` is -1 where fewer points are better."""
    mine = finals[me]
    # Below every score, whole games included: numba would need a float for infinity.
    best = -1_000_000
    equals = 1
    for seat in range(len(finals)):
        if seat != me:
            best = max(best, sign * finals[seat])
            if finals[seat] == mine:
                equals += 1
    lead = sign * mine - best
    results[at + SCORE] = mine
    results[at + WIN] = 1.0 / equals if lead >= 0 else 0.0
    results[at + LEAD] = lead


def add_results(results: Sequence[float], moves: int, sums: Floats, products: Floats) -> None:
    """Add one world's results: each column of each move, and the products of every two compared columns."""
    size = moves * COMPARED
    for place in range(moves * COLUMNS):
        sums[place] += results[place]
    for place in range(size):
        first = results[place // COMPARED * COLUMNS + place % COMPARED]
        for other in range(place + 1):
            products[place * size + other] += first * results[other // COMPARED * COLUMNS + other % COMPARED]


def add_seats(finals: Sequence[int], sign: int, sums: Floats) -> None:
    """Add one world's final scores and shares of the win, seat by seat."""
    best = -1_000_000
    equals = 0
    for seat in range(len(finals)):
        best = max(best, sign * finals[seat])
    for seat in range(len(finals)):
        if sign * finals[seat] == best:
            equals += 1
    for seat in range(len(finals)):
        sums[2 * seat] += finals[seat]
        if sign * finals[seat] == best:
            sums[2 * seat + 1] += 1.0 / equals
