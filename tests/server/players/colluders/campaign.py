"""Campaigns of colluders: games one after the other, with everything that happens to ratings in a real server."""

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import NamedTuple

from scoville_server.players.model.career import Career, finish_careers, finish_game, players_of, start_careers
from scoville_server.tables.actions.join import Join
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.model.table import Table
from scoville_shared.ids import Seat, UserId
from tests.server.players.colluders.levers import LEVERS, Sides, nothing, user_of
from tests.server.players.colluders.played_game import GRACE_MS, Act, PlayedGame, opened
from tests.support.tables import NOON

COLLUDERS = (UserId("xaver"), UserId("yolanda"))
GAMES = (("no_thanks", 3), ("no_thanks", 4), ("dicht_dran", 2), ("dicht_dran", 3), ("dicht_dran", 4))
LEVEL = "sensible"
"""Everybody plays like the bots of absent players: nothing but the levers makes a difference."""
POPULATION = 60
BETWEEN_GAMES_MS = 900_000
OPPORTUNISTS = ("claim", "leave_when_they_hesitate", "pause", "come_and_go")
"""Levers that wait for their own moment, so they are pulled from the start."""


class Result(NamedTuple):
    """What one game has done to the colluders' ratings (mu, summed), and what it would have done without the lever."""

    lever: str
    gain: float
    without: float


class Interval(NamedTuple):
    """A mean with its 95 % confidence interval."""

    mean: float
    low: float
    high: float


class Campaign:
    """Two colluders, or one of them alone, play against a population of honest raters of the same skills."""

    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)
        honest = [UserId(f"honest{number}") for number in range(POPULATION)]
        users = [*COLLUDERS, *honest]
        self._honest = honest
        self._levels = dict.fromkeys(users, LEVEL)
        self._origins = {user: number for number, user in enumerate(users)}
        self.careers = {user: Career(since_ms=NOON) for user in users}
        self._number, self._now_ms = 0, NOON
        self._again: Sequence[UserId] = ()

    def play(self, names: Sequence[str]) -> Result:
        """Play one game with one of these levers; it is pulled if the game goes badly, and now and then otherwise."""
        chance = self._chance
        lever, (game, seats) = chance.choice(names), chance.choice(GAMES)
        mine = list(COLLUDERS[: 1 if seats == 2 else 2])
        others = self._opponents(seats - len(mine))
        users = [*mine, *others]
        chance.shuffle(users)
        self._number += 1
        start = opened(game, users, self._levels, chance, self._number, self._now_ms)
        known = {user: self.careers[user] for user in users}
        begun = start_careers(start.table, known, self._origins)
        sides = Sides([Seat(users.index(user)) for user in mine], [Seat(users.index(user)) for user in others])
        habits = chance.random()
        plain = start.copied()
        steps = _Steps()
        usual = plain.finish([_honest(Random(habits), sides), steps])
        without = _gain(usual, begun, mine)
        played = start.copied()
        if lever != nothing.__name__ and (without < 0 or chance.random() < 0.2):
            moment = 0 if lever in OPPORTUNISTS else round(steps.count * chance.choice((0.2, 0.5, 0.8, 0.95, 1)))
            pulled = _pulled(lever, sides, max(0, moment - 1), Random(habits + 1))
            table = played.finish([_honest(Random(habits), sides), pulled])
        else:
            table = usual
        gain = _gain(table, begun, mine)
        deleted = [mine[1]] if lever == "nothing" and len(mine) == 2 and chance.random() < 0.2 else []
        self._settle(table, begun, deleted)
        self._again = others if gain > 0 and chance.random() < 0.5 else ()
        self._now_ms = played.now_ms + BETWEEN_GAMES_MS
        return Result(lever, gain, without)

    def _opponents(self, count: int) -> list[UserId]:
        """Choose opponents at random, or play a rematch with those of a game that went well."""
        if len(self._again) == count:
            return [*self._again]
        return self._chance.sample(self._honest, count)

    def _settle(self, table: Table, begun: Mapping[UserId, Career], deleted: Sequence[UserId]) -> None:
        """Write the careers. Who has deleted the account meanwhile is nobody to the others; they keep their loss."""
        gone = {user: Career(since_ms=NOON) for user in deleted}
        ends, whole = finish_careers(table, {**begun, **gone}, self._now_ms), finish_careers(table, begun, self._now_ms)
        for user in players_of(table):
            assert ends[user].skill == whole[user].skill or user in deleted, "a deleted account changes nothing"
            self.careers[user] = finish_game(begun[user], whole[user])


class _Steps:
    """Counts the steps of a game."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, played: PlayedGame) -> None:
        self.count += 1


def _pulled(name: str, sides: Sides, moment: int, chance: Random) -> Act:
    """Pull a lever from so many steps on."""
    steps = _Steps()

    def act(played: PlayedGame) -> None:
        steps(played)
        if steps.count > moment:
            LEVERS[name](played, sides, chance)

    return act


def _honest(chance: Random, sides: Sides) -> Act:
    """What honest players do beside moves: some lose their patience, some think too long, some lose the connection."""
    patient, stays, hiccup, returns = (chance.random() for _ in range(4))
    begins_ms, back_ms = chance.randrange(10_000, 200_000), chance.randrange(5_000, 200_000)
    dreams = chance.random() < 0.1
    begun: list[int] = []
    away: list[int] = []

    def act(played: PlayedGame) -> None:
        if not begun:
            begun.append(played.now_ms)
        passed = played.now_ms - begun[0]
        seat = sides.honest[0]
        user = user_of(played, seat)
        if hiccup < 0.15 and passed > begins_ms and not away:
            away.append(played.now_ms + back_ms)
            played.send(Leave(user=user, reason="absent", gone_ms=GRACE_MS))
        elif away and returns < 0.7 and played.now_ms > away[0]:
            away[0] = 10**18
            played.send(Join(user=user, name=user, claimed=True))
        if dreams and not away:
            slow = seat not in played.table.overruns
            played.idle = played.idle | {seat} if slow else played.idle - {seat}
        stalled = any(played.table.overruns.get(other, 0) for other in sides.colluders)
        for other in sides.honest:
            alone = played.table.human_seats == {other}
            if played.table.running and ((stalled and patient < 0.5) or (alone and stays < 0.3)):
                played.send(Leave(user=user_of(played, other)))

    return act


def _gain(table: Table, begun: Mapping[UserId, Career], users: Sequence[UserId]) -> float:
    """Return what a finished game does to the ratings of users (mu, summed)."""
    ends = finish_careers(table, begun, NOON)
    return sum(skill.mu - begun[user].skill_at(table.opened.game).mu for user in users if (skill := ends[user].skill))


def results(seed: int, games: int, length: int, names: Sequence[str] = tuple(LEVERS)) -> Iterator[Result]:
    """Play so many games, in campaigns of some length that each begin with new accounts."""
    for number in range(0, games, length):
        campaign = Campaign(1_000_003 * seed + number)
        for _ in range(min(length, games - number)):
            yield campaign.play(names)


def interval(values: Sequence[float]) -> Interval:
    """Return the mean of values and its 95 % confidence interval."""
    mean, half = fmean(values), 1.96 * stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0
    return Interval(mean, mean - half, mean + half)
