"""Leaving a table: the seat is free again while the table waits; in a game a bot keeps it."""

from typing import Final, Literal

from msgspec.structs import replace

from scoville_server.tables.actions.pause import Paused
from scoville_server.tables.actions.transfer_host import pass_host_on
from scoville_server.tables.actions.void_start import void_if_left
from scoville_server.tables.model.action import (
    Action,
    Command,
    Records,
    Refused,
    RepeatableRecord,
    refuse_unseated,
    with_event,
)
from scoville_server.tables.model.table import Departure, LeaveReason, SeatState, Table, is_sealed
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol import messages as m


class Leave(Command, frozen=True, kw_only=True):
    """Leave a seat, by choice or because the player has been disconnected for too long, for `gone_ms`."""

    user: UserId
    reason: Literal["left", "absent"] = "left"
    gone_ms: int = 0


class Left(RepeatableRecord, frozen=True, kw_only=True, tag="left"):
    """A player left their seat: it is free again while the table waits; later a bot keeps it for them.

    An `excused` player counts in the result as if they had stayed.
    """

    # Nobody can be kept at a table, however often they came and left.
    refusable = False

    reason: LeaveReason = "left"
    excused: bool = False


def _decide_leave(table: Table, command: Leave, now_ms: int) -> Records | Refused:
    seat = table.seat_of(command.user)
    if seat is None:
        return refuse_unseated(table)
    # By when the player was lost and not by when the grace is over: others may have left in between.
    excused = _is_excused(table, seat, now_ms - command.gone_ms)
    left = Left(at_ms=now_ms, seat=seat, reason=command.reason, excused=excused)
    # Nobody stops a deal for which the other tables of an evening wait.
    pauses = command.reason == "left" and table.running and not table.paused and not is_sealed(table)
    if pauses and table.human_seats == {seat}:
        # Bots alone would play to the end at once.
        return Paused(at_ms=now_ms, seat=seat), left
    return *void_if_left(table, seat, now_ms), left


def _is_excused(table: Table, seat: Seat, gone_ms: int) -> bool:
    """Whether a player who is gone since `gone_ms` (milliseconds since 1970) may leave a rated game as if they stayed.

    They may if all others had gone before, or if another one has let the time run out and not moved since: else the
    loser would wait until the others lose their patience. Players whose connections are lost together are not excused.
    """
    if not (table.running and table.rated):
        return False
    others = [Seat(n) for n in range(len(table.seats)) if n != seat]
    alone = all(
        not table.seats[other].human and (other not in table.departures or table.departures[other].at_ms <= gone_ms)
        for other in others
    )
    return alone or any(table.overruns.get(other, 0) for other in others)


def _evolve_left(table: Table, record: Left) -> Table:
    seat, name = record.seat, table.seats[record.seat].name
    after = remove_player(table, seat, record.at_ms)
    if table.status == "playing":
        left = Departure(record.at_ms, record.reason, record.excused)
        after = replace(after, departures={**after.departures, seat: left})
    if record.reason == "stalled":
        after = replace(after, stalls={**after.stalls, seat: after.stalls.get(seat, 0) + 1})
    event = m.Left(
        seq=table.seq + 1, seat=seat, name=name, host=after.host, reason=record.reason, excused=record.excused
    )
    return with_event(after, event)


def remove_player(table: Table, seat: Seat, at_ms: int) -> Table:
    """Remove a player from a seat: it is free while the table waits, a bot's once the game has started."""
    # Bots play on for a player who leaves a game: the others must not lose it.
    left = SeatState() if table.status == "waiting" else replace(table.seats[seat], away=True)
    after = table.with_seat(seat, left)
    after = replace(
        after,
        ready=after.ready - {seat},
        redrawing=after.redrawing - {seat},
        since_ms=after.since_ms if after.human_seats else None,
        pausing=after.pausing - {seat},
    )
    return pass_host_on(after, seat, at_ms) if table.host == seat else after


ACTION: Final = Action({Leave: _decide_leave}, {Left: _evolve_left})
