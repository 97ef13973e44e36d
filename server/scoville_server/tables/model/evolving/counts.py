"""How much was written of a table beside moves, which have their bound in the rules."""

from typing import Final

from scoville_server.tables.model import records as r
from scoville_server.tables.model.evolving.events import changed
from scoville_server.tables.model.history import History
from scoville_server.tables.model.table import Table
from scoville_shared.ids import Seat

KEPT_EVENTS: Final = 50
"""How many of a waiting table's newest events stay: clients that reconnect within them miss nothing."""

MOST_EVENTS: Final = 500
"""How many events a waiting table has at most. It is condensed earlier; journals of older versions may hold more."""

EXTRA = r.Joined | r.Left | r.HostChanged | r.PauseRequested | r.Resumed | r.Warned
"""What players can do again and again at a running game, or let happen."""


def counted(before: Table, after: Table, record: r.AnyRecord) -> Table:
    """Count a record: of a waiting table to condense them in time, of a running one by the seat that caused it."""
    if after.status == "waiting":
        return _forgetful(changed(after, age=after.age + 1))
    if before.status == "waiting" or not isinstance(record, EXTRA):
        return after
    seat = caused_by(before, record)
    extras = before.extras or (0,) * len(before.chairs)
    return changed(after, extras=tuple(count + (n == seat) for n, count in enumerate(extras)))


def caused_by(before: Table, record: EXTRA) -> Seat | None:
    """Find the seat that is responsible for a record: the host for a new host."""
    return before.host if isinstance(record, r.HostChanged) else record.seat


def _forgetful(table: Table) -> Table:
    """Forget the older events of a long wait."""
    if len(table.happenings) <= MOST_EVENTS:
        return table
    kept = table.happenings[-KEPT_EVENTS:]
    return changed(table, happenings=History(kept), dropped=table.seq - len(kept))
