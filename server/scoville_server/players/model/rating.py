"""Ratings, a normal distribution of skill by the Plackett-Luce model of the library openskill, and leaderboards."""

from bisect import bisect_left, insort
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from msgspec import Struct

from scoville_shared.ids import UserId

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
    def cautious_rating(self) -> float:
        """The cautious estimate, by which players are ranked."""
        return self.mu - CAUTION * self.sigma

    @property
    def certain(self) -> bool:
        """Whether it is certain enough for a rank."""
        return self.sigma <= MOST_DOUBT


def rate_players(skills: Sequence[Skill], places: Sequence[int]) -> list[Skill]:
    """Update ratings after one game; places count from 1 and may be shared."""
    # Late: it takes 50 ms to load, for which everybody would wait at each restart.
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


MOST_SHOWN = 100
"""Entries of a leaderboard in one reply."""

Entry = tuple[float, UserId]


class Placed(NamedTuple):
    """One entry: a user's place, shared by equals, and their rating."""

    place: int
    user: UserId
    skill: Skill


class Leaderboard:
    """The ranking at one game, by the cautious estimate."""

    def __init__(self) -> None:
        self._skills: dict[UserId, Skill] = {}
        self._order: list[Entry] = []

    def rank_user(self, user: UserId, skill: Skill) -> None:
        """Update a user's rank; a rating that is too uncertain has none."""
        self.drop_user(user)
        if skill.certain:
            self._skills[user] = skill
            insort(self._order, _entry_of(user, skill))

    def drop_user(self, user: UserId) -> None:
        skill = self._skills.pop(user, None)
        if skill is not None:
            del self._order[bisect_left(self._order, _entry_of(user, skill))]

    def find_place(self, user: UserId) -> int | None:
        """Return a user's place, or None."""
        skill = self._skills.get(user)
        return None if skill is None else self._place_of(skill)

    def list_best(self) -> list[Placed]:
        best = islice(self._order, MOST_SHOWN)
        return [Placed(self._place_of(self._skills[user]), user, self._skills[user]) for _, user in best]

    def _place_of(self, skill: Skill) -> int:
        # The empty id comes before all others: equals share the place of the first of them.
        return bisect_left(self._order, (-skill.cautious_rating, UserId(""))) + 1


def _entry_of(user: UserId, skill: Skill) -> Entry:
    return -skill.cautious_rating, user
