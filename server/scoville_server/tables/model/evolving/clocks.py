"""Evolution of the clocks."""

from scoville_server.tables.model import clock
from scoville_server.tables.model.records import AnyRecord, Played, Restarted, Warned
from scoville_server.tables.model.table import Table


def clocks_after(before: Table, after: Table, record: AnyRecord) -> clock.Clocks | None:
    """Let time pass up to a record, then set which clocks run after it."""
    if not after.running:
        return None
    if before.clocks is None:
        clocks = clock.wound_up(after.opened.clock, len(after.seats), record.at_ms)
    else:
        clocks = _noted(before, before.clocks, record)
    return clock.stopped(clock.let_run(clocks, after.human_seats.intersection(after.pending)), paused=after.paused)


def _noted(before: Table, clocks: clock.Clocks, record: AnyRecord) -> clock.Clocks:
    if isinstance(record, Restarted):
        if record.alive_ms is not None:
            clocks = clock.at(clocks, min(record.alive_ms, record.at_ms))
        return clock.skipped_to(clocks, record.at_ms)
    clocks = clock.at(clocks, record.at_ms)
    match record:
        case Played(seat=seat):
            return clock.moved(clocks, seat) if seat in before.pending else clock.taken_back(clocks, seat)
        case Warned(seat=seat, reason="clock"):
            return clock.warned(clocks, seat)
        case _:
            return clocks
