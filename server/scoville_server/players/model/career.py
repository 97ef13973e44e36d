"""A user's career: their public games against other users, started, finished, won and rated. Bounded in size."""

from collections.abc import Mapping
from statistics import median_low

import msgspec
from msgspec import Struct

from scoville_server.players.model.opponents import Opponent, Origin, Player, noted
from scoville_server.players.model.rating import Skill
from scoville_shared.ids import Seat, TableId
from scoville_shared.protocol.messages import PastGame

MOST_PICKS = 200
"""Latest thinking times that count for the median."""

MOST_RECENT = 20
"""Latest games in a profile."""

MOST_OPEN = 64
"""Most games noted as running: more than one user plays. Without a bound, one that never ends would stay for ever."""

_changed = msgspec.structs.replace


class Career(Struct, frozen=True, kw_only=True):
    """A user's career.

    `running` are the games that have started and not ended; `since_ms` is milliseconds since 1970. `origins` are where
    the user came from at the start of each running game that may be rated for them, and `opponents` against whom such
    games were played, by game.
    """

    since_ms: int
    begun: int = 0
    finished: int = 0
    won: int = 0
    running: tuple[TableId, ...] = ()
    skills: Mapping[str, Skill] = {}
    picks_ms: tuple[int, ...] = ()
    recent: tuple[PastGame, ...] = ()
    origins: Mapping[TableId, Origin] = {}
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

    `skill` is the new rating, if any, and `met` are then the opponents it was learned from.
    """

    seat: Seat
    past: PastGame
    stayed: bool
    won: bool = False
    met: tuple[Player, ...] = ()
    picks_ms: tuple[int, ...] = ()
    skill: Skill | None = None


def began(career: Career, table: TableId, origin: Origin | None = None) -> Career:
    """Note the start of a game, once, and where the owner of a name played it from."""
    if table in career.running:
        return career
    running = (*career.running, table)[-MOST_OPEN:]
    origins = {known: career.origins[known] for known in running if known in career.origins}
    if origin is not None:
        origins[table] = origin
    return _changed(career, begun=career.begun + 1, running=running, origins=origins)


def ended(career: Career, finish: Finish) -> Career:
    """Note the end of a game."""
    past = finish.past
    skills = career.skills if finish.skill is None else {**career.skills, past.game: finish.skill}
    known = career.opponents.get(past.game, ())
    for met in finish.met:
        known = noted(known, met, past.ended_ms)
    return _changed(
        career,
        finished=career.finished + finish.stayed,
        won=career.won + finish.won,
        running=tuple(table for table in career.running if table != past.table),
        skills=skills,
        picks_ms=(*career.picks_ms, *finish.picks_ms)[-MOST_PICKS:],
        recent=(past, *career.recent)[:MOST_RECENT],
        origins={table: origin for table, origin in career.origins.items() if table != past.table},
        opponents={**career.opponents, past.game: known} if finish.met else career.opponents,
    )
