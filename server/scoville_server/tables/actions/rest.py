"""Vacations: the clock of a player of a game by correspondence rests until a day."""

from typing import Final

from msgspec.structs import replace

from scoville_server.tables.actions.action import Action, Command, Records, with_event
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import Table
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol import messages as m


class Rest(Command, frozen=True, kw_only=True):
    """Let a player's clock rest until a time (milliseconds since 1970); one that is past lets it run again."""

    user: UserId
    until_ms: int


class Rested(Record, frozen=True, kw_only=True, tag="rested"):
    """A player is on vacation until a time (milliseconds since 1970), or is back."""

    seat: Seat
    until_ms: int


def _decide_rest(table: Table, command: Rest, now_ms: int) -> Records:
    seat = table.seat_of(command.user)
    # Before the start no clock runs, and a waiting table that is condensed would forget it.
    if seat is None or not table.running or not table.opened.clock.by_days:
        return ()
    known = table.resting.get(command.user, 0)
    # Sent again after a restart: what is recorded already is not recorded twice.
    if known == command.until_ms or max(command.until_ms, known) <= now_ms:
        return ()
    return (Rested(at_ms=now_ms, seat=seat, until_ms=command.until_ms),)


def _evolve_rested(table: Table, record: Rested) -> Table:
    user = table.seats[record.seat].user
    assert user is not None, "only users are on vacation"
    after = replace(table, resting={**table.resting, user: record.until_ms})
    until_ms = record.until_ms if record.until_ms > record.at_ms else None
    return with_event(after, m.Rested(seq=table.seq + 1, seat=record.seat, until_ms=until_ms))


ACTION: Final = Action({Rest: _decide_rest}, {Rested: _evolve_rested})
