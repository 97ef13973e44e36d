"""Readiness: a player is ready for the start, or takes that back."""

from typing import Final

from msgspec.structs import replace

from scoville_server.tables.model.action import (
    Action,
    Command,
    Records,
    Refused,
    RequestedCommand,
    refuse_unseated,
    with_event,
)
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol import messages as m


class Ready(Command, frozen=True, kw_only=True):
    """Mark a player as ready or not ready."""

    user: UserId
    ready: bool


class ReadyChanged(Record, frozen=True, kw_only=True, tag="ready_changed"):
    """A player became ready, or took it back."""

    seat: Seat
    ready: bool


def _decide_ready(table: Table, command: Ready, now_ms: int) -> Records | Refused:
    seat = table.seat_of(command.user)
    if seat is None:
        return refuse_unseated(table)
    if table.status != "waiting" or table.revealing is not None:
        return Refused(Code.ALREADY_STARTED, "The game at this table has already started.")
    # No record without a change: it would put off the idle timeout.
    if command.ready == (seat in table.ready):
        return ()
    return (ReadyChanged(at_ms=now_ms, seat=seat, ready=command.ready),)


def _evolve_ready_changed(table: Table, record: ReadyChanged) -> Table:
    ready = table.ready | {record.seat} if record.ready else table.ready - {record.seat}
    host_acted_ms = record.at_ms if record.seat == table.host else table.host_acted_ms
    after = replace(table, ready=ready, acted_ms=record.at_ms, host_acted_ms=host_acted_ms)
    return with_event(after, m.ReadyChanged(seq=table.seq + 1, seat=record.seat, ready=record.ready))


ACTION: Final = Action(
    {Ready: _decide_ready},
    {ReadyChanged: _evolve_ready_changed},
    requests={m.ReadyRequest: RequestedCommand(lambda user, p: Ready(user=user, ready=p.ready))},
)
