"""Seats, admission and the host."""

from collections.abc import Mapping
from typing import TypeVar

from scoville_server.tables.model import records as r
from scoville_server.tables.model.evolving.events import Evolvers, changed, with_event
from scoville_server.tables.model.seats import SeatState
from scoville_server.tables.model.table import Departure, Table
from scoville_shared.ids import Seat
from scoville_shared.protocol import messages as m

T = TypeVar("T")


def _entered(table: Table, record: r.Entered) -> Table:
    return changed(table, admitted=table.admitted | {record.user})


def _commentator_listed(table: Table, record: r.CommentatorListed) -> Table:
    return changed(table, commentators={**table.commentators, record.user: record.commentator})


def _joined(table: Table, record: r.Joined) -> Table:
    seat_state = table.seats[record.seat]
    hashed, nonce = (
        (seat_state.nonce_hash, seat_state.nonce) if seat_state.away else (record.nonce_hash, b"")
    )  # settled by the deal
    taken = SeatState(name=record.name, user=record.user, claimed=record.claimed, nonce_hash=hashed, nonce=nonce)
    after = changed(
        table.with_seat(record.seat, taken),
        unseen=table.unseen - {record.seat},
        departures=_without_key(table.departures, record.seat),
        overruns=_without_key(table.overruns, record.seat),
    )
    if table.since_ms is None:
        after = changed(after, since_ms=record.at_ms, acted_ms=record.at_ms)
    if table.host is None and not table.opened.settings.hostless:
        after = _hosted(after, record.seat, record.at_ms)
    event = m.Joined(seq=table.seq + 1, seat=record.seat, name=record.name, claimed=record.claimed, host=after.host)
    return with_event(after, event)


def _nonce_replaced(table: Table, record: r.NonceReplaced) -> Table:
    after = table.with_seat(record.seat, changed(table.seats[record.seat], nonce_hash=record.nonce_hash))
    return changed(after, redrawing=table.redrawing - {record.seat})


def _left(table: Table, record: r.Left) -> Table:
    seat, name = record.seat, table.seats[record.seat].name
    after = _without(table, seat, record.at_ms)
    if table.status == "playing":
        left = Departure(record.at_ms, record.reason, record.excused)
        after = changed(after, departures={**after.departures, seat: left})
    if record.reason == "stalled":
        after = changed(after, stalls={**after.stalls, seat: after.stalls.get(seat, 0) + 1})
    event = m.Left(
        seq=table.seq + 1, seat=seat, name=name, host=after.host, reason=record.reason, excused=record.excused
    )
    return with_event(after, event)


def _without_key(by_seat: Mapping[Seat, T], seat: Seat) -> Mapping[Seat, T]:
    return {key: value for key, value in by_seat.items() if key != seat} if seat in by_seat else by_seat


def _kicked(table: Table, record: r.Kicked) -> Table:
    """Remove a user. In a running game a bot takes over under the player's name: the player stays in the result."""
    after = table if record.seat is None else _without(table, record.seat, record.at_ms)
    after = changed(
        after,
        kicked={**table.kicked, record.user: record.reason},
        admitted=frozenset(record.admitted) if record.code else table.admitted - {record.user},
        acted_ms=record.at_ms,
        host_acted_ms=record.at_ms,
    )
    if record.voted and record.seat is not None:
        agreed = frozenset() if table.ballot is None else frozenset(table.ballot.agreed)
        after = changed(after, ballot=None, voted_out=table.voted_out | {record.seat}, voters=table.voters | agreed)
    if record.code:
        after = changed(after, opened=changed(table.opened, code=record.code))
    event = m.Kicked(
        seq=table.seq + 1,
        seat=record.seat,
        name=record.name,
        reason=record.reason or None,
        host=after.host,
        voted=record.voted,
        code_changed=bool(record.code),
    )
    return with_event(after, event)


def _host_transferred(table: Table, record: r.HostTransferred) -> Table:
    acted_ms = record.at_ms if record.reason == "given" else table.acted_ms
    after = changed(_hosted(table, record.seat, record.at_ms), acted_ms=acted_ms)
    return with_event(after, m.HostTransferred(seq=table.seq + 1, host=record.seat, reason=record.reason))


def _without(table: Table, seat: Seat, at_ms: int) -> Table:
    """Remove a player from a seat: it is free while the table waits, a bot's once the game has started."""
    left = SeatState() if table.status == "waiting" else changed(table.seats[seat], away=True)
    after = table.with_seat(seat, left)
    after = changed(
        after,
        ready=after.ready - {seat},
        redrawing=after.redrawing - {seat},
        since_ms=after.since_ms if after.human_seats else None,
        pausing=after.pausing - {seat},
    )
    return _hosted(after, _next_host(after, seat), at_ms) if table.host == seat else after


def _next_host(table: Table, left: Seat) -> Seat | None:
    return next((seat for seat in table.clockwise_from(left) if table.seats[seat].human), None)


def _hosted(table: Table, seat: Seat | None, at_ms: int) -> Table:
    return changed(table, host=seat, host_acted_ms=at_ms)


EVOLVERS: Evolvers = {
    r.Entered: _entered,
    r.CommentatorListed: _commentator_listed,
    r.Joined: _joined,
    r.NonceReplaced: _nonce_replaced,
    r.Left: _left,
    r.Kicked: _kicked,
    r.HostTransferred: _host_transferred,
}
