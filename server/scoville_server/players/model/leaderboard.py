"""Leaderboards, kept sorted as games end, so that a request costs nothing."""

from bisect import bisect_left, insort
from itertools import islice
from typing import NamedTuple

from scoville_server.players.model.rating import Skill
from scoville_shared.ids import UserId

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
            insort(self._order, _entry(user, skill))

    def drop_user(self, user: UserId) -> None:
        """Remove a user."""
        skill = self._skills.pop(user, None)
        if skill is not None:
            del self._order[bisect_left(self._order, _entry(user, skill))]

    def find_place(self, user: UserId) -> int | None:
        """Return a user's place, or None."""
        skill = self._skills.get(user)
        return None if skill is None else self._place_of(skill)

    def list_best(self) -> list[Placed]:
        """List the first entries, best first."""
        best = islice(self._order, MOST_SHOWN)
        return [Placed(self._place_of(self._skills[user]), user, self._skills[user]) for _, user in best]

    def _place_of(self, skill: Skill) -> int:
        return bisect_left(self._order, (-skill.cautious, UserId(""))) + 1


def _entry(user: UserId, skill: Skill) -> Entry:
    return -skill.cautious, user
