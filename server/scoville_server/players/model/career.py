"""A person's games between people at public tables: begun, finished, won, rated. Bounded, however many there are."""

from collections.abc import Mapping
from statistics import median_low

import msgspec
from msgspec import Struct

from scoville_server.players.model.rating import Skill
from scoville_shared.ids import Seat, TableId
from scoville_shared.protocol.messages import PastGame

MOST_PICKS = 200
"""Latest picks of which the median is told."""

MOST_RECENT = 20
"""Latest games that a profile shows."""

MOST_OPEN = 64
"""Games that are noted as running: more than anybody sits at. Without a bound one that never ends would stay."""

_changed = msgspec.structs.replace


class Career(Struct, frozen=True, kw_only=True):
    """What is kept of a person. `running` are the games that were begun and have not ended; `since_ms` is 1970's."""

    since_ms: int
    begun: int = 0
    finished: int = 0
    won: int = 0
    running: tuple[TableId, ...] = ()
    skills: Mapping[str, Skill] = {}
    picks_ms: tuple[int, ...] = ()
    recent: tuple[PastGame, ...] = ()

    @property
    def median_pick_ms(self) -> int | None:
        """How long they usually think about a move."""
        return median_low(self.picks_ms) if self.picks_ms else None

    def skill(self, game: str) -> Skill:
        """How good they are at a game."""
        return self.skills.get(game, Skill())


class Finish(Struct, frozen=True, kw_only=True):
    """How one game ended for one of its people; `stayed` who played it to its end, `skill` what was learned, if any."""

    seat: Seat
    past: PastGame
    stayed: bool
    picks_ms: tuple[int, ...] = ()
    skill: Skill | None = None


def began(career: Career, table: TableId) -> Career:
    """Note a game's beginning, once."""
    if table in career.running:
        return career
    return _changed(career, begun=career.begun + 1, running=(*career.running, table)[-MOST_OPEN:])


def ended(career: Career, finish: Finish) -> Career:
    """Note a game's end."""
    past = finish.past
    skills = career.skills if finish.skill is None else {**career.skills, past.game: finish.skill}
    return _changed(
        career,
        finished=career.finished + finish.stayed,
        won=career.won + (finish.stayed and past.places[finish.seat] == 1),
        running=tuple(table for table in career.running if table != past.table),
        skills=skills,
        picks_ms=(*career.picks_ms, *finish.picks_ms)[-MOST_PICKS:],
        recent=(past, *career.recent)[:MOST_RECENT],
    )
