"""A user's career: their public games against other users, started, finished, won and rated. Bounded in size."""

from collections.abc import Mapping, Sequence
from statistics import median_low
from typing import NamedTuple

import msgspec
from msgspec import Struct

from scoville_server.players.model.opponents import Opponent, Player, note_opponent
from scoville_server.players.model.rating import Skill
from scoville_shared.ids import Seat, TableId
from scoville_shared.protocol.messages import PastGame

MOST_PICKS = 200
"""Latest thinking times that count for the median."""

MOST_RECENT = 20
"""Latest games in a profile."""

MOST_OPEN = 64
"""Most games noted as running: more than one user plays. Further ones do not count for this user.

Dropping an older one instead would let a loser escape by starting others.
"""

_changed = msgspec.structs.replace


class Met(Struct, frozen=True, array_like=True):
    """An opponent in a rated game: their seat, and their rating when it started."""

    seat: Seat
    mu: float
    sigma: float


class RatedStart(Struct, frozen=True, array_like=True):
    """What a rated game counts for one of its players, settled when it starts: against whom, and with which weight.

    Nothing that players do later changes it: neither deleting an account, nor ending other games first.
    """

    met: tuple[Met, ...]
    weight: float


class Career(Struct, frozen=True, kw_only=True):
    """A user's career.

    `running` are the games that have started and not ended; `since_ms` is milliseconds since 1970. `starts` are those
    of them that are rated for this user, and `opponents` against whom such games were played, by game.
    """

    since_ms: int
    begun: int = 0
    finished: int = 0
    won: int = 0
    running: tuple[TableId, ...] = ()
    skills: Mapping[str, Skill] = {}
    picks_ms: tuple[int, ...] = ()
    recent: tuple[PastGame, ...] = ()
    starts: Mapping[TableId, RatedStart] = {}
    opponents: Mapping[str, tuple[Opponent, ...]] = {}

    @property
    def median_pick_ms(self) -> int | None:
        """The median thinking time per move in milliseconds."""
        return median_low(self.picks_ms) if self.picks_ms else None

    def skill(self, game: str) -> Skill:
        """Return the rating at a game."""
        return self.skills.get(game, Skill())


class Finish(Struct, frozen=True, kw_only=True):
    """The end of a game for one player: `stayed` if they played to the end, `won` if that counts as a win.

    `skill` is the new rating, if any.
    """

    seat: Seat
    past: PastGame
    stayed: bool
    won: bool = False
    picks_ms: tuple[int, ...] = ()
    skill: Skill | None = None


class Rated(NamedTuple):
    """The start of a rated game for one player: what it counts, and the opponents to note, of a game on a day."""

    start: RatedStart
    met: Sequence[Player]
    game: str
    started_ms: int


def start_game(career: Career, table: TableId, rated: Rated | None = None) -> Career:
    """Note the start of a game, once, and what it counts if it is rated for this user."""
    if table in career.running or len(career.running) >= MOST_OPEN:
        return career
    after = _changed(career, begun=career.begun + 1, running=(*career.running, table))
    if rated is None:
        return after
    known = career.opponents.get(rated.game, ())
    for met in rated.met:
        known = note_opponent(known, met, rated.started_ms)
    return _changed(
        after, starts={**career.starts, table: rated.start}, opponents={**career.opponents, rated.game: known}
    )


def drop_game(career: Career, table: TableId) -> Career:
    """Forget a running game that has no result: the table was closed."""
    return _changed(
        career,
        running=tuple(other for other in career.running if other != table),
        starts={other: start for other, start in career.starts.items() if other != table},
    )


def finish_game(career: Career, finish: Finish) -> Career:
    past = finish.past
    skills = career.skills if finish.skill is None else {**career.skills, past.game: finish.skill}
    return _changed(
        drop_game(career, TableId(past.table)),
        finished=career.finished + finish.stayed,
        won=career.won + finish.won,
        skills=skills,
        picks_ms=(*career.picks_ms, *finish.picks_ms)[-MOST_PICKS:],
        recent=(past, *career.recent)[:MOST_RECENT],
    )
