"""Bounds of what may happen in a running game beside moves, because all of it is kept as long as the game."""

from typing import Final

from scoville_server.tables.model import records as r
from scoville_server.tables.model.commands import Refused
from scoville_server.tables.model.deciding.verdict import Decision
from scoville_server.tables.model.evolving.counts import EXTRA, caused_by
from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code

MOST_EXTRAS: Final = 600
"""Most pauses, resumes, host changes, leaves and returns per seat and game: enough for a bad connection all evening."""

_ALWAYS = r.Left | r.Resumed
"""Records that are never refused. Both need an earlier one that may be."""


def within_bounds(table: Table, records: tuple[r.AnyRecord, ...]) -> Decision:
    """Refuse records if the seat that causes them has reached its bound; only its warnings are dropped silently."""
    leaves = any(isinstance(record, r.Left) for record in records)
    kept = []
    for record in records:
        if isinstance(record, EXTRA) and not isinstance(record, _ALWAYS):
            seat = caused_by(table, record)
            if seat is not None and table.extras_of(seat) >= MOST_EXTRAS:
                if isinstance(record, r.Warned) or leaves:  # the pause before a leave is dropped too
                    continue
                return Refused(
                    Code.TOO_MANY,
                    f"This seat has done that {MOST_EXTRAS} times in this game, the most allowed; play a card.",
                )
        kept.append(record)
    return tuple(kept)
