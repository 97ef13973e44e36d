"""Start of a game and its countdown."""

from scoville_server.tables.model import records as r
from scoville_server.tables.model.evolving.events import Evolvers, changed, with_event
from scoville_server.tables.model.evolving.playing import ended
from scoville_server.tables.model.seats import SeatState
from scoville_server.tables.model.table import Countdown, Table, seat_info
from scoville_shared.engine.dice import Dice, table_key
from scoville_shared.ids import Seat
from scoville_shared.protocol import messages as m


def _ready_changed(table: Table, record: r.ReadyChanged) -> Table:
    ready = table.ready | {record.seat} if record.ready else table.ready - {record.seat}
    host_acted_ms = record.at_ms if record.seat == table.host else table.host_acted_ms
    after = changed(table, ready=ready, acted_ms=record.at_ms, host_acted_ms=host_acted_ms)
    return with_event(after, m.ReadyChanged(seq=table.seq + 1, seat=record.seat, ready=record.ready))


def _countdown_started(table: Table, record: r.CountdownStarted) -> Table:
    starts_in_ms = max(0, record.until_ms - record.at_ms)
    after = changed(table, countdown=Countdown(record.until_ms, record.reason))
    return with_event(after, m.CountdownStarted(seq=table.seq + 1, starts_in_ms=starts_in_ms, reason=record.reason))


def _countdown_cancelled(table: Table, _: r.CountdownCancelled) -> Table:
    assert table.countdown is not None, "only a countdown that runs is broken off"
    event = m.CountdownCancelled(seq=table.seq + 1)
    return with_event(changed(table, countdown=None), event)


def _started(table: Table, record: r.Started) -> Table:
    for seat, name in record.bots.items():
        table = table.with_seat(seat, SeatState(name=name))
    after = changed(
        table,
        status="playing",
        strength=record.strength,
        levels=record.levels,
        started_ms=record.at_ms,
        acted_ms=record.at_ms,
        ready=frozenset(),
        countdown=None,
        revealing=None,
        redrawing=frozenset(),
        state=deal(table),
    )
    event = m.Started(
        seq=table.seq + 1,
        seats=[seat_info(after, seat) for seat in map(Seat, range(len(after.seats)))],
        nonces=[nonce.hex() or None for nonce in after.nonces],
        missing=[*table.unrevealed],
        pending=[*after.pending],
    )
    return ended(with_event(after, event))


def deal(table: Table) -> object:
    """Return the state of a started table right after its deal."""
    options = table.game.codec.options(table.opened.options)
    dice = Dice(table_key(table.opened.seed, table.id, table.nonces))
    return table.game.deal(options, len(table.seats), dice, table.opened.dealer)


EVOLVERS: Evolvers = {
    r.ReadyChanged: _ready_changed,
    r.CountdownStarted: _countdown_started,
    r.CountdownCancelled: _countdown_cancelled,
    r.Started: _started,
}
