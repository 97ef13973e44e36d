"""Ratings: a normal distribution of skill, by the Plackett-Luce model of the library openskill."""

from collections.abc import Sequence

from msgspec import Struct

MEAN, DOUBT = 25.0, 25.0 / 3
"""The rating of a player without games."""

MOST_DOUBT = 7.0
"""Ratings with a larger sigma have no rank: it takes about ten games to fall below."""

CAUTION = 3.0
"""How many sigmas the cautious estimate lies below mu: hardly anybody is worse than theirs."""


class Skill(Struct, frozen=True):
    """A rating at one game: `mu` is the estimate, `sigma` its uncertainty, after so many `games`."""

    mu: float = MEAN
    sigma: float = DOUBT
    games: int = 0

    @property
    def cautious(self) -> float:
        """The cautious estimate, by which players are ranked."""
        return self.mu - CAUTION * self.sigma

    @property
    def certain(self) -> bool:
        """Whether it is certain enough for a rank."""
        return self.sigma <= MOST_DOUBT


def rate_players(skills: Sequence[Skill], places: Sequence[int]) -> list[Skill]:
    """Update ratings after one game; places count from 1 and may be shared."""
    from openskill.models import PlackettLuce

    model = PlackettLuce(mu=MEAN, sigma=DOUBT)
    teams = [[model.rating(mu=skill.mu, sigma=skill.sigma)] for skill in skills]
    learned = model.rate(teams, ranks=[float(place) for place in places])
    return [
        Skill(float(team[0].mu), float(team[0].sigma), skill.games + 1)
        for skill, team in zip(skills, learned, strict=True)
    ]


def learn_partly(before: Skill, after: Skill, weight: float) -> Skill:
    """Move a rating by a part of what it has learned, between 0 (not at all) and 1."""
    mu = before.mu + weight * (after.mu - before.mu)
    return Skill(mu, before.sigma + weight * (after.sigma - before.sigma), after.games)
