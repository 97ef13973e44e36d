"""Moves, warnings and pauses."""

from scoville_server.tables.model import records as r
from scoville_server.tables.model.evolving.events import Evolvers, changed, with_event
from scoville_server.tables.model.table import Table
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.play import play
from scoville_shared.ids import Seat
from scoville_shared.protocol import messages as m


def _played(table: Table, record: r.Played) -> Table:
    step = play(table.game, table.state, record.seat, table.game.codec.move(record.move))
    assert not isinstance(step, Refusal), f"a recorded move is legal; this one was refused: {step}"
    seat, counts, plain = record.seat, table.played, table.game.codec.plain
    played = (*counts[:seat], counts[seat] + 1, *counts[seat + 1 :])
    moves = table.moves.with_item(record)
    after = changed(table, state=step.state, played=played, moves=moves, acted_ms=record.at_ms)
    if record.mover == "clock" or seat in table.overruns:
        overruns = table.overruns.get(seat, 0) + 1 if record.mover == "clock" else 0
        after = changed(after, overruns={**table.overruns, seat: overruns})
    event = m.Played(
        seq=table.seq + 1,
        seat=seat,
        mover=record.mover,
        facts=[],
        pending=[*after.pending],
        move_counts=[*played],
    )
    facts = tuple([(fact.to, plain(fact.fact)) for fact in step.facts])  # a generator takes twice as long
    return ended(with_event(after, event, facts))


def ended(table: Table) -> Table:
    """Append the end of the game, if this is it."""
    outcome = table.game.outcome(table.state)
    if outcome is None:
        return table
    event = m.Finished(
        seq=table.seq + 1,
        scores=[*outcome.scores],
        places=[*outcome.places],
        reason=outcome.reason,
        server_seed=table.opened.seed.hex(),
    )
    return with_event(changed(table, status="finished", paused=False, ballot=None, unseen=_away(table)), event)


def _away(table: Table) -> frozenset[Seat]:
    """Find the seats of players who left but may return."""
    seats = ((Seat(number), seat_state) for number, seat_state in enumerate(table.seats) if seat_state.away)
    return frozenset(seat for seat, seat_state in seats if seat_state.user not in table.kicked)


def _warned(table: Table, record: r.Warned) -> Table:
    seq = table.seq + 1
    return with_event(table, m.Warned(seq=seq, seat=record.seat, reason=record.reason, acts_in_ms=record.acts_in_ms))


def _paused(table: Table, record: r.Paused) -> Table:
    pausing = table.pausing | {record.seat}
    after = changed(table, pausing=pausing, paused=pausing >= table.human_seats)
    if after.paused and not table.paused:
        after = changed(after, paused_since_ms=record.at_ms)
    return with_event(after, m.Paused(seq=table.seq + 1, seat=record.seat, granted=after.paused))


def _resumed(table: Table, record: r.Resumed) -> Table:
    after = changed(table, paused=False, pausing=frozenset())
    if table.paused:
        after = changed(after, paused_ms=table.paused_ms + max(0, record.at_ms - table.paused_since_ms))
    return with_event(after, m.Resumed(seq=table.seq + 1, seat=record.seat, reason=record.reason))


EVOLVERS: Evolvers = {
    r.Played: _played,
    r.Warned: _warned,
    r.Paused: _paused,
    r.Resumed: _resumed,
}
