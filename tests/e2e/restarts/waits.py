"""What players have noticed of restarts: how long nobody was answered, and how long each waited who asked meanwhile."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from tests.e2e.restarts.players import Played

SOON = 1.0
"""Seconds after a restart in which the longest time without an answer still belongs to it."""


class Restart(NamedTuple):
    """A restart: whether in place, when it began and the successor was ready, and what it cost the server's processes.

    `seconds` are those of their processors: those of a busy machine say more about others than about this server.
    """

    in_place: bool
    began: float
    ended: float
    seconds: float


class Noticed(NamedTuple):
    """What players have noticed of the restarts, and how many sessions of doors have ended or stand still."""

    played: list[Played]
    restarts: list[Restart]
    closed: int
    silent: int


class Outage(NamedTuple):
    """The time between the last answer before a restart and the first one after it."""

    began: float
    ended: float

    @property
    def seconds(self) -> float:
        return self.ended - self.began


def find_outages(found: Noticed, *, in_place: bool) -> list[Outage]:
    """Find for each restart of a kind the longest time in which no move of anybody was answered."""
    answered = sorted(at for player in found.played for at, _ in player.waits)
    outages = list[Outage]()
    for each in found.restarts:
        near = [at for at in answered if each.began <= at <= each.ended + SOON]
        if each.in_place is in_place and len(near) > 1:
            outages.append(max((Outage(*pair) for pair in pairwise(near)), key=lambda outage: outage.seconds))
    return outages


def list_waits(found: Noticed, *, in_place: bool) -> list[float]:
    """List the waits for all moves that met a restart of a kind: made before its first answer, and answered by it."""
    ends = [outage.ended for outage in find_outages(found, in_place=in_place)]
    moves = [move for player in found.played for move in player.waits]
    return sorted(wait for at, wait in moves if any(at - wait < end <= at for end in ends))


def find_quantile(ordered: Sequence[float], share: float) -> float:
    """Return the value below which a share of ordered values is."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
