"""Ratings: a normal distribution of somebody's skill, by the Plackett-Luce model of the library openskill."""

from collections.abc import Sequence

from msgspec import Struct

MEAN, DOUBT = 25.0, 25.0 / 3
"""What is thought of somebody of whom nothing is known."""

MOST_DOUBT = 7.0
"""Whose skill is less certain has no rank: it takes about ten games to fall below."""

CAUTION = 3.0
"""A cautious estimate lies so many doubts below the best one: hardly anybody is worse than theirs."""


class Skill(Struct, frozen=True):
    """How good somebody is at a game: `mu` is the best estimate, `sigma` its doubt, after so many `games`."""

    mu: float = MEAN
    sigma: float = DOUBT
    games: int = 0

    @property
    def cautious(self) -> float:
        """What they are at least, almost certainly; what they are ranked by."""
        return self.mu - CAUTION * self.sigma

    @property
    def certain(self) -> bool:
        """It is certain enough for a rank."""
        return self.sigma <= MOST_DOUBT


def rated(skills: Sequence[Skill], places: Sequence[int]) -> list[Skill]:
    """Learn from one game; places count from 1, and may be shared."""
    from openskill.models import PlackettLuce

    model = PlackettLuce(mu=MEAN, sigma=DOUBT)
    teams = [[model.rating(mu=skill.mu, sigma=skill.sigma)] for skill in skills]
    learned = model.rate(teams, ranks=[float(place) for place in places])
    return [
        Skill(float(team[0].mu), float(team[0].sigma), skill.games + 1)
        for skill, team in zip(skills, learned, strict=True)
    ]
