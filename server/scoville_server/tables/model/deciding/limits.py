"""How much may be done at a running game beside moves: all of it is kept as long as the game."""

from typing import Final

from scoville_server.tables.model import records as r
from scoville_server.tables.model.commands import Refused
from scoville_server.tables.model.deciding.verdict import Decision
from scoville_server.tables.model.evolving.counts import EXTRA, caused_by
from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code

MOST_EXTRAS: Final = 600
"""How often a seat pauses, goes on, hands over, gets up and comes back in one game: a bad line all evening long."""

_ALWAYS = r.Left | r.Resumed
"""What is never refused: to leave, and to go on. Both need something else before, which is."""


def within_bounds(table: Table, records: tuple[r.AnyRecord, ...]) -> Decision:
    """Refuse records of a running game when the seat that causes them has caused enough; leave out its warnings."""
    leaves = any(isinstance(record, r.Left) for record in records)
    kept = []
    for record in records:
        if isinstance(record, EXTRA) and not isinstance(record, _ALWAYS):
            seat = caused_by(table, record)
            if seat is not None and table.extras_of(seat) >= MOST_EXTRAS:
                if isinstance(record, r.Warned) or leaves:  # then without the pause
                    continue
                return Refused(Code.TOO_MANY, f"This seat has done that {MOST_EXTRAS} times in this game; play on.")
        kept.append(record)
    return tuple(kept)
