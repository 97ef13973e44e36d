"""Ratings of those who solve puzzles, and of puzzles: an attempt is a game of two, which one of them wins.

The model is that of the ratings of players (openskill, Plackett-Luce), on Elo's scale: of two certain ratings that are
400 points apart the better one wins ten times of eleven.
"""

from typing import Final, NamedTuple

from msgspec import Struct

MEAN: Final = 1_500.0
DOUBT: Final = 350.0
"""The rating of a player without attempts."""
PUZZLE_DOUBT: Final = 150.0
"""The doubt of a puzzle without attempts: bots have solved it, or failed, and people may find other things hard."""
_BETA: Final = 122.8
"""400 / ln(10) / sqrt(2): the scale of Elo."""
_TAU: Final = 3.5
"""How much each attempt adds to the doubts, a hundredth of the first one as in openskill: no rating freezes."""
CERTAIN: Final = 110.0
"""A rating with a larger doubt is provisional."""
LEAST, MOST = 400, 3_000
"""Ratings stay between these."""


class PuzzleSkill(Struct, frozen=True, array_like=True):
    """A rating at puzzles: `mu` is the estimate, `sigma` its doubt, after so many `attempts`."""

    mu: float = MEAN
    sigma: float = DOUBT
    attempts: int = 0

    @property
    def rating(self) -> int:
        """The estimate as a whole number."""
        return round(self.mu)

    @property
    def certain(self) -> bool:
        """Whether the rating is not provisional any more."""
        return self.sigma <= CERTAIN


class Rated(NamedTuple):
    """The ratings of a player and a puzzle after an attempt."""

    player: PuzzleSkill
    puzzle: PuzzleSkill


def rate_attempt(player: PuzzleSkill, puzzle: PuzzleSkill, *, right: bool) -> Rated:
    """Update both ratings after an attempt, which the player has won if the answer was right."""
    from openskill.models import PlackettLuce  # late: it takes a tenth of a second

    model = PlackettLuce(mu=MEAN, sigma=DOUBT, beta=_BETA, tau=_TAU)
    teams = [[model.rating(mu=each.mu, sigma=each.sigma)] for each in (player, puzzle)]
    (one,), (other,) = model.rate(teams, ranks=[1.0, 2.0] if right else [2.0, 1.0])
    return Rated(
        PuzzleSkill(_keep_in_bounds(one.mu), float(one.sigma), player.attempts + 1),
        PuzzleSkill(_keep_in_bounds(other.mu), float(other.sigma), puzzle.attempts + 1),
    )


def first_skill(rating: int) -> PuzzleSkill:
    """Return the rating of a puzzle that nobody has tried."""
    return PuzzleSkill(float(rating), PUZZLE_DOUBT)


def _keep_in_bounds(mu: float) -> float:
    return max(float(LEAST), min(float(mu), float(MOST)))
