"""Warnings that a bot will soon act for a player: the clock runs out, or the player is disconnected."""

from math import ceil
from typing import Final, Literal

from scoville_server.tables.model import clock
from scoville_server.tables.model.action import Action, Command, Records, RepeatableRecord, with_event
from scoville_server.tables.model.table import Table
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol import messages as m


class WarnOfClock(Command, frozen=True, kw_only=True):
    """Warn a player that their time is nearly over."""

    seat: Seat


class WarnOfAbsence(Command, frozen=True, kw_only=True):
    """Warn a table that a player is disconnected and a bot takes over in `seconds`."""

    user: UserId
    seconds: float


class Warned(RepeatableRecord, frozen=True, kw_only=True, tag="warned"):
    """A player was warned that a bot will act for them in `acts_in_ms`."""

    reason: Literal["clock", "absence"]
    acts_in_ms: int


def _decide_warn_of_clock(table: Table, command: WarnOfClock, now_ms: int) -> Records:
    if table.clocks is None or command.seat not in clock.seats_to_warn(table.clocks, now_ms):
        return ()
    left_ms = clock.until_end_ms(clock.let_time_pass(table.clocks, now_ms), command.seat)
    return (Warned(at_ms=now_ms, seat=command.seat, reason="clock", acts_in_ms=left_ms),)


def _decide_warn_of_absence(table: Table, command: WarnOfAbsence, now_ms: int) -> Records:
    seat = table.seat_of(command.user)
    # The absence went on in the meantime, but there is nobody left to warn.
    if seat is None or table.status == "finished" or table.paused:
        return ()
    return (Warned(at_ms=now_ms, seat=seat, reason="absence", acts_in_ms=ceil(1000 * command.seconds)),)


def _evolve_warned(table: Table, record: Warned) -> Table:
    seq = table.seq + 1
    return with_event(table, m.Warned(seq=seq, seat=record.seat, reason=record.reason, acts_in_ms=record.acts_in_ms))


def _note_warning(_: Table, clocks: clock.Clocks, record: Warned) -> clock.Clocks:
    clocks = clock.let_time_pass(clocks, record.at_ms)
    return clock.note_warning(clocks, record.seat) if record.reason == "clock" else clocks


ACTION: Final = Action(
    {WarnOfClock: _decide_warn_of_clock, WarnOfAbsence: _decide_warn_of_absence},
    {Warned: _evolve_warned},
    {Warned: _note_warning},
)
