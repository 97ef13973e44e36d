"""The result of a decision, and refusals that several subjects share."""

from collections.abc import Callable, Mapping
from typing import Any

from scoville_server.tables.model.commands import Command, Refused
from scoville_server.tables.model.records import AnyRecord
from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code
from scoville_shared.ids import Seat

Decision = tuple[AnyRecord, ...] | Refused
"""Records to journal (none if nothing changes), or a refusal."""

Deciders = Mapping[type[Command], Callable[[Table, Any, int], Decision]]
"""A decider per kind of command: table, command, wall time in milliseconds since 1970."""


def not_seated(table: Table) -> Refused:
    """Refuse a user without a seat."""
    return Refused(Code.NOT_SEATED, "You have no seat at this table; join it first.", {"table": table.id})


def not_host(table: Table, what: str) -> Refused:
    """Refuse an action that only the host may do, where there is one."""
    if table.opened.settings.hostless:
        return Refused(Code.NO_HOST, f"This table has no host, and nobody {what}; it starts when everybody is ready.")
    host = "" if table.host is None else table.seats[table.host].name
    return Refused(Code.NOT_HOST, f"Only the host, {host or 'nobody'}, {what}.", {"host": host})


def no_such_seat(table: Table, seat: int) -> Refused:
    """Refuse a seat number that the table does not have."""
    last = len(table.seats) - 1
    return Refused(Code.BAD_SEATS, f"There is no seat {seat}; the seats are 0 to {last}.", {"seat": seat})


def host_seat(table: Table, seat: Seat | None, what: str) -> Seat | Refused:
    """Return the host's seat, or a refusal for anyone else."""
    if seat is None:
        return not_seated(table)
    return seat if seat == table.host else not_host(table, what)
