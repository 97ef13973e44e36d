"""What comes after a game, after a table, and after the server was down."""

from scoville_server.table import records as r
from scoville_server.table.evolving.telling import Evolvers, changed, told
from scoville_server.table.model import Table
from scoville_shared.wire.messages import MovedOn, TableClosed


def _went_on_to(table: Table, record: r.WentOnTo) -> Table:
    after = changed(table, next=record.table, acted_ms=record.at_ms)
    return told(after, MovedOn(seq=table.seq + 1, table=record.table, by=record.by))


def _closed(table: Table, record: r.Closed) -> Table:
    after = changed(table, closed=record.reason, countdown=None)
    return told(after, TableClosed(seq=table.seq + 1, reason=record.reason))


def _reopened(table: Table, record: r.Reopened) -> Table:
    """Who waited waits anew: they may need the time to come back, and so a countdown begins again from its start."""
    since_ms = None if table.since_ms is None else record.at_ms
    return changed(table, since_ms=since_ms, countdown=None)


EVOLVERS: Evolvers = {r.WentOnTo: _went_on_to, r.Closed: _closed, r.Reopened: _reopened}
