"""Leaderboards, kept in order as games end: asking for one costs nothing."""

from bisect import bisect_left, insort
from itertools import islice
from typing import NamedTuple

from scoville_server.players.model.rating import Skill
from scoville_shared.ids import UserId

MOST_SHOWN = 100
"""Lines of a leaderboard in one answer."""

Entry = tuple[float, UserId]


class Placed(NamedTuple):
    """One line: a person's place, shared by equals, and their skill."""

    place: int
    person: UserId
    skill: Skill


class Leaderboard:
    """Who is best at one game, by the cautious estimate."""

    def __init__(self) -> None:
        self._skills: dict[UserId, Skill] = {}
        self._order: list[Entry] = []

    def put(self, person: UserId, skill: Skill) -> None:
        """Rank somebody anew; who is not certain enough has no rank."""
        self.drop(person)
        if skill.certain:
            self._skills[person] = skill
            insort(self._order, _entry(person, skill))

    def drop(self, person: UserId) -> None:
        """Rank somebody no more."""
        skill = self._skills.pop(person, None)
        if skill is not None:
            del self._order[bisect_left(self._order, _entry(person, skill))]

    def rank(self, person: UserId) -> int | None:
        """Tell somebody's place."""
        skill = self._skills.get(person)
        return None if skill is None else self._place(skill)

    def first(self) -> list[Placed]:
        """List the best, the best first."""
        best = islice(self._order, MOST_SHOWN)
        return [Placed(self._place(self._skills[person]), person, self._skills[person]) for _, person in best]

    def _place(self, skill: Skill) -> int:
        return bisect_left(self._order, (-skill.cautious, UserId(""))) + 1


def _entry(person: UserId, skill: Skill) -> Entry:
    return -skill.cautious, person
