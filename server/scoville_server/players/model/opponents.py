"""Opponents of a user: how many different ones, and how much a game against them weighs.

Ratings could be won from throw-away accounts: their owner lets them lose. So only claimed names count, accounts behind
one network count as one opponent, those behind the user's own network not at all, and each further game of a day
against the same opponent weighs half of the one before. A day against one opponent weighs less than two games.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from scoville_shared.ids import UserId

Origin = int
"""A network in 16 bits: enough to tell a user's opponents apart, too few to find an address by."""

FEWEST_OPPONENTS: Final = 3
"""Least different opponents of a ranked user: friends who play each other all evening are three or four."""

MOST_OPPONENTS: Final = 64
"""Opponents that are kept per game, the latest ones."""

_DAY_MS: Final = 24 * 3_600_000


class Player(NamedTuple):
    """A user at the start of a rated game; no `origin` for a guest."""

    user: UserId
    origin: Origin | None


class Opponent(Struct, frozen=True, array_like=True):
    """A user against whom a rated game was played: from where they first came, and the games of their latest day."""

    user: UserId
    origin: Origin
    day: int
    games: int


def origin_of(network: str) -> Origin:
    """Return the origin of a network, or of whatever else a user comes from."""
    return int.from_bytes(hashlib.sha256(b"scoville/origin\0" + network.encode()).digest()[:2])


def count_distinct(known: Iterable[Opponent]) -> int:
    """Count the different opponents: several users of one network are one."""
    return len({opponent.origin for opponent in known})


# Decision 043: opponents are distinguished by network: a name costs a password, an address costs more.
def weigh_game(known: Sequence[Opponent], met: Player, started_ms: int) -> float:
    """Return the weight of a game against an opponent, between 0 and 1, from when it started.

    Of several games at once the winner could otherwise end those first that go well.
    """
    today = [opponent for opponent in known if opponent.day == started_ms // _DAY_MS]
    games = sum(opponent.games for opponent in today if opponent.origin == met.origin or opponent.user == met.user)
    return float(0.5**games)


def note_opponent(known: Sequence[Opponent], met: Player, started_ms: int) -> tuple[Opponent, ...]:
    assert met.origin is not None, "only owners of names are opponents"
    day = started_ms // _DAY_MS
    before = next((opponent for opponent in known if opponent.user == met.user), None)
    if before is None:
        now = Opponent(met.user, met.origin, day, 1)
    else:
        now = msgspec.structs.replace(before, day=day, games=1 + (before.games if before.day == day else 0))
    others = (opponent for opponent in known if opponent.user != met.user)
    return (*others, now)[-MOST_OPPONENTS:]
