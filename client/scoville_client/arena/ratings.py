"""Ratings from places: the Bradley-Terry model of paired comparisons, on the Elo scale, with intervals.

A better place in a match wins a comparison, a shared place is half a win. Intervals are bootstrapped: whole deals are
drawn with replacement, because the matches of one deal are not independent.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from random import Random
from typing import NamedTuple

MEAN, SCALE = 1500.0, 400.0
"""Mean of all ratings, and the difference at which the better player wins ten times out of eleven."""

ROUNDS = 200
"""Iterations of the fit, far more than it needs to converge."""

DRAWS = 200
"""Number of bootstrap samples."""

INTERVAL = 0.95

Places = Sequence[int]
"""Places of one match, from 1, in the order of the contestants."""


class Rated(NamedTuple):
    """A rating and its 95 % interval."""

    rating: float
    low: float
    high: float


def rated(deals: Sequence[Sequence[Places]], entrants: int) -> list[Rated]:
    """Rate the contestants by the matches of each deal."""
    best = fitted((match for deal in deals for match in deal), entrants)
    luck = Random(0)  # noqa: S311 - the same results always have the same intervals
    draws = [
        fitted((match for deal in luck.choices(deals, k=len(deals)) for match in deal), entrants) for _ in range(DRAWS)
    ]
    return [Rated(rating, *_between(sorted(draw[n] for draw in draws))) for n, rating in enumerate(best)]


def fitted(matches: Iterable[Places], entrants: int) -> list[float]:
    """Fit the model. Each pair gets one extra draw, so that a contestant without a loss has a rating, too."""
    wins = [[0.5 if a != b else 0.0 for b in range(entrants)] for a in range(entrants)]
    for places in matches:
        for a, b in combinations(range(entrants), 2):
            wins[a][b] += _won(places[a], places[b])
            wins[b][a] += _won(places[b], places[a])
    strengths = [1.0] * entrants
    for _ in range(ROUNDS):
        strengths = _normed([_better(wins, strengths, a) for a in range(entrants)])
    return [MEAN + SCALE * math.log10(strength) for strength in strengths]


def _won(mine: int, other: int) -> float:
    return 0.5 if mine == other else float(mine < other)


def _better(wins: Sequence[Sequence[float]], strengths: Sequence[float], a: int) -> float:
    """Return the next estimate of the strength of `a`."""
    met = ((wins[a][b] + wins[b][a]) / (strengths[a] + strengths[b]) for b in range(len(strengths)) if b != a)
    return sum(wins[a]) / sum(met)


def _normed(strengths: Sequence[float]) -> list[float]:
    """Scale the strengths to the mean rating."""
    middle = math.exp(sum(map(math.log, strengths)) / len(strengths))
    return [strength / middle for strength in strengths]


def _between(ratings: Sequence[float]) -> tuple[float, float]:
    cut = round(len(ratings) * (1 - INTERVAL) / 2)
    return ratings[cut], ratings[-1 - cut]
