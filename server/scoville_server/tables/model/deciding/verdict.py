"""What judging a command comes to, and the refusals that every subject knows."""

from collections.abc import Callable, Mapping
from typing import Any

from scoville_server.tables.model.commands import Command, Refused
from scoville_server.tables.model.records import AnyRecord
from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code
from scoville_shared.ids import Seat

Decision = tuple[AnyRecord, ...] | Refused
"""Records to journal (none: the wish is granted already), or why not."""

Deciders = Mapping[type[Command], Callable[[Table, Any, int], Decision]]
"""What judges each kind of command, at a time in milliseconds since 1970."""


def not_seated(table: Table) -> Refused:
    """Refuse somebody who has no seat."""
    return Refused(Code.NOT_SEATED, "You do not sit at this table; join it first.", {"table": table.id})


def not_host(table: Table, what: str) -> Refused:
    """Refuse what only the host may do."""
    host = "" if table.host is None else table.chairs[table.host].name
    return Refused(Code.NOT_HOST, f"Only the host {what}; that is {host or 'nobody'}.", {"host": host})


def no_such_seat(table: Table, seat: int) -> Refused:
    """Refuse a seat that is beyond the table."""
    last = len(table.chairs) - 1
    return Refused(Code.BAD_SEATS, f"There is no seat {seat}; the seats are 0 to {last}.", {"seat": seat})


def host_seat(table: Table, seat: Seat | None, what: str) -> Seat | Refused:
    """Let the host pass, and nobody else."""
    if seat is None:
        return not_seated(table)
    return seat if seat == table.host else not_host(table, what)
