"""Vacations: the clock of a player of a game by correspondence rests until a day."""

from typing import Final

from msgspec.structs import replace

from scoville_server.tables.model.action import Action, Command, Records, with_event
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import Table
from scoville_server.tables.model.vacation import CLOCK_ERROR_MS
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol import messages as m

_MOST_REST_MS: Final = m.MOST_VACATION_DAYS * m.DAY_MS + CLOCK_ERROR_MS
"""Longest rest of a clock in milliseconds; what a user's vacation claims beyond that comes from a wrong clock."""


class BeginVacation(Command, frozen=True, kw_only=True):
    """Let the clock of a player who is on vacation rest until a time (milliseconds since 1970)."""

    user: UserId
    until_ms: int


class EndVacation(Command, frozen=True, kw_only=True):
    """Let the clock of a player run again before the end of their vacation."""

    user: UserId


class VacationBegun(Record, frozen=True, kw_only=True, tag="vacation_begun"):
    """A player is on vacation until a time (milliseconds since 1970)."""

    seat: Seat
    until_ms: int


class VacationEnded(Record, frozen=True, kw_only=True, tag="vacation_ended"):
    """A player is back from their vacation before its end."""

    seat: Seat


def _decide_begin_vacation(table: Table, command: BeginVacation, now_ms: int) -> Records:
    seat = table.seat_of(command.user)
    # Before the start no clock runs, and a waiting table that is condensed would forget it.
    if seat is None or not table.running or not table.opened.clock.by_days:
        return ()
    known, latest = table.resting.get(command.user, 0), now_ms + _MOST_REST_MS
    # Sent again after a restart: a vacation that is recorded already is not recorded twice.
    if command.until_ms <= now_ms or command.until_ms == known:
        return ()
    # Else the longest rest would begin again with each change of the table.
    if command.until_ms > latest and known > now_ms:
        return ()
    return (VacationBegun(at_ms=now_ms, seat=seat, until_ms=min(command.until_ms, latest)),)


def _decide_end_vacation(table: Table, command: EndVacation, now_ms: int) -> Records:
    seat = table.seat_of(command.user)
    if seat is None or not table.running or table.resting.get(command.user, 0) <= now_ms:
        return ()
    return (VacationEnded(at_ms=now_ms, seat=seat),)


def _evolve_vacation_begun(table: Table, record: VacationBegun) -> Table:
    after = _rest_until(table, record.seat, record.until_ms)
    return with_event(after, m.VacationBegun(seq=table.seq + 1, seat=record.seat, until_ms=record.until_ms))


def _evolve_vacation_ended(table: Table, record: VacationEnded) -> Table:
    after = _rest_until(table, record.seat, record.at_ms)
    return with_event(after, m.VacationEnded(seq=table.seq + 1, seat=record.seat))


def _rest_until(table: Table, seat: Seat, until_ms: int) -> Table:
    user = table.seats[seat].user
    assert user is not None, "only users are on vacation"
    return replace(table, resting={**table.resting, user: until_ms})


ACTION: Final = Action(
    {BeginVacation: _decide_begin_vacation, EndVacation: _decide_end_vacation},
    {VacationBegun: _evolve_vacation_begun, VacationEnded: _evolve_vacation_ended},
)
