"""Requested, revealed and void nonces."""

from scoville_server.tables.model import records as r
from scoville_server.tables.model.evolving.events import Evolvers, changed, with_event
from scoville_server.tables.model.table import Revealing, Table
from scoville_shared.ids import Seat
from scoville_shared.protocol import messages as m


def _nonces_requested(table: Table, record: r.NoncesRequested) -> Table:
    after = changed(table, revealing=Revealing(record.until_ms, record.strength), countdown=None)
    event = m.NoncesRequested(
        seq=table.seq + 1,
        nonce_hashes=[seat_state.nonce_hash.hex() or None for seat_state in table.seats],
        starts_in_ms=max(0, record.until_ms - record.at_ms),
    )
    return with_event(after, event)


def _revealed(table: Table, record: r.Revealed) -> Table:
    return table.with_seat(record.seat, changed(table.seats[record.seat], nonce=record.nonce))


def _start_voided(table: Table, record: r.StartVoided) -> Table:
    """Forget all hashes and nonces: those that were revealed are known to the server, which could choose by them."""
    drew = frozenset(Seat(n) for n, seat_state in enumerate(table.seats) if seat_state.nonce_hash)
    missing = frozenset(record.missing)
    after = changed(
        table,
        seats=tuple(changed(seat_state, nonce_hash=b"", nonce=b"") for seat_state in table.seats),
        revealing=None,
        ready=table.ready - missing,
        redrawing=drew - missing,
        voided_ms=record.at_ms,
    )
    if record.reason == "missing":
        users = (table.seats[seat].user for seat in record.missing)
        after = changed(after, withheld=table.withheld | {user for user in users if user is not None})
    return with_event(after, m.StartVoided(seq=table.seq + 1, missing=[*record.missing], reason=record.reason))


EVOLVERS: Evolvers = {
    r.NoncesRequested: _nonces_requested,
    r.Revealed: _revealed,
    r.StartVoided: _start_voided,
}
