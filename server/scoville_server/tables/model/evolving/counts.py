"""Counters of everything that was recorded beside moves, which the rules bound already."""

from typing import Final

from scoville_server.tables.model import records as r
from scoville_server.tables.model.evolving.events import changed
from scoville_server.tables.model.history import History
from scoville_server.tables.model.table import Table
from scoville_shared.ids import Seat

KEPT_EVENTS: Final = 50
"""Number of newest events that a waiting table keeps: clients that reconnect within them miss nothing."""

MOST_EVENTS: Final = 500
"""Most events of a waiting table. Condensing keeps it far below; this bounds restored tables."""

EXTRA = r.Joined | r.Left | r.HostTransferred | r.Paused | r.Resumed | r.Warned | r.Voted
"""Records that players can cause again and again in a running game."""


def counted(before: Table, after: Table, record: r.AnyRecord) -> Table:
    """Count a record: of a waiting table for condensing it in time, of a running game for the seat that caused it."""
    if after.status == "waiting":
        return _forgetful(changed(after, age=after.age + 1))
    if before.status == "waiting" or not isinstance(record, EXTRA):
        return after
    seat = caused_by(before, record)
    extras = before.extras or (0,) * len(before.seats)
    return changed(after, extras=tuple(count + (n == seat) for n, count in enumerate(extras)))


def caused_by(before: Table, record: EXTRA) -> Seat | None:
    """Return the seat that is responsible for a record: the host's for a new host."""
    return before.host if isinstance(record, r.HostTransferred) else record.seat


def _forgetful(table: Table) -> Table:
    """Drop the older events of a long wait."""
    if len(table.recorded_events) <= MOST_EVENTS:
        return table
    kept = table.recorded_events[-KEPT_EVENTS:]
    return changed(table, recorded_events=History(kept), dropped=table.seq - len(kept))
