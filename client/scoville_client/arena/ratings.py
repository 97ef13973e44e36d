"""From places to ratings: Bradley and Terry's model of paired comparisons, on Elo's scale, with intervals.

Who comes before another in a match has won a comparison; who shares a place with another has half of one. Intervals
come from the bootstrap: whole deals are drawn again with replacement, because the matches of one deal are not
independent.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from random import Random
from typing import NamedTuple

MEAN, SCALE = 1500.0, 400.0
"""The average of all ratings, and the distance at which the better one wins ten times of eleven."""

ROUNDS = 200
"""Steps of the fit, far more than it needs to stand still."""

DRAWS = 200
"""How often the deals are drawn again."""

INTERVAL = 0.95

Places = Sequence[int]
"""The places of one match, from 1, in the order of the entrants."""


class Rated(NamedTuple):
    """A rating, and where it lies with 95 % confidence."""

    rating: float
    low: float
    high: float


def rated(deals: Sequence[Sequence[Places]], entrants: int) -> list[Rated]:
    """Rate the entrants by the matches of each deal."""
    best = fitted((match for deal in deals for match in deal), entrants)
    luck = Random(0)  # noqa: S311 - the same results always have the same intervals
    draws = [
        fitted((match for deal in luck.choices(deals, k=len(deals)) for match in deal), entrants) for _ in range(DRAWS)
    ]
    return [Rated(rating, *_between(sorted(draw[n] for draw in draws))) for n, rating in enumerate(best)]


def fitted(matches: Iterable[Places], entrants: int) -> list[float]:
    """Fit the model. Each pair counts as having drawn once more, so that who never lost has a rating as well."""
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
    """Take one step towards the most likely strength of `a`."""
    met = ((wins[a][b] + wins[b][a]) / (strengths[a] + strengths[b]) for b in range(len(strengths)) if b != a)
    return sum(wins[a]) / sum(met)


def _normed(strengths: Sequence[float]) -> list[float]:
    """Let the mean of the ratings stay where it is."""
    middle = math.exp(sum(map(math.log, strengths)) / len(strengths))
    return [strength / middle for strength in strengths]


def _between(ratings: Sequence[float]) -> tuple[float, float]:
    cut = round(len(ratings) * (1 - INTERVAL) / 2)
    return ratings[cut], ratings[-1 - cut]
