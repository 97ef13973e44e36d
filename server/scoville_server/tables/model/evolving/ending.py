"""Rematch, closing, restart and condensing."""

from scoville_server.tables.model import records as r
from scoville_server.tables.model.evolving.events import Evolvers, changed, with_event
from scoville_server.tables.model.history import History
from scoville_server.tables.model.seats import SeatState
from scoville_server.tables.model.table import REVEAL_MS, VOTE_MS, Countdown, RecordedEvent, Table
from scoville_shared.protocol import messages as m


def _rematch_opened(table: Table, record: r.RematchOpened) -> Table:
    after = changed(table, next=record.rematch, acted_ms=record.at_ms)
    return with_event(after, m.RematchOpened(seq=table.seq + 1, rematch=record.rematch, by=record.by))


def _closed(table: Table, record: r.Closed) -> Table:
    after = changed(table, closed=record.reason, countdown=None, revealing=None, ballot=None)
    return with_event(after, m.Closed(seq=table.seq + 1, reason=record.reason))


def _restarted(table: Table, record: r.Restarted) -> Table:
    """Restart the waits, the countdown and a ballot: players may need the time to reconnect."""
    since_ms = None if table.since_ms is None else record.at_ms
    revealing = table.revealing
    if revealing is not None:
        revealing = changed(revealing, until_ms=record.at_ms + REVEAL_MS)
    ballot = table.ballot
    if ballot is not None:
        ballot = changed(ballot, until_ms=record.at_ms + VOTE_MS)
    return changed(
        table,
        since_ms=since_ms,
        countdown=None,
        revealing=revealing,
        ballot=ballot,
        paused_since_ms=record.at_ms if table.paused else table.paused_since_ms,
    )


def _condensed(table: Table, record: r.Condensed) -> Table:
    """Restore a waiting table."""
    seats = [SeatState()] * len(table.seats)
    for sitter in record.sitters:
        seats[sitter.seat] = SeatState(
            name=sitter.name, user=sitter.user, claimed=sitter.claimed, nonce_hash=sitter.nonce_hash
        )
    return changed(
        table,
        seats=tuple(seats),
        host=record.host,
        admitted=frozenset(record.admitted),
        kicked=record.kicked,
        ready=frozenset(record.ready),
        since_ms=record.since_ms,
        acted_ms=record.acted_ms,
        host_acted_ms=record.host_acted_ms,
        countdown=None if record.until_ms is None else Countdown(record.until_ms, record.reason),
        redrawing=frozenset(record.redrawing),
        voided_ms=record.voided_ms,
        withheld=frozenset(record.withheld),
        commentators=record.commentators,
        recorded_events=History(map(RecordedEvent, record.events)),
        dropped=record.seq - len(record.events),
        age=0,
    )


EVOLVERS: Evolvers = {
    r.RematchOpened: _rematch_opened,
    r.Closed: _closed,
    r.Restarted: _restarted,
    r.Condensed: _condensed,
}
