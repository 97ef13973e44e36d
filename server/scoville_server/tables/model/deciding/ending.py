"""Rematch and closing of a table."""

from scoville_server.tables.model.commands import Close, Refused, Rematch
from scoville_server.tables.model.deciding.verdict import Deciders, Decision, not_seated
from scoville_server.tables.model.records import Closed, RematchOpened
from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code


def _play_again(table: Table, command: Rematch, now_ms: int) -> Decision:
    seat = table.owned_seat(command.user)
    if seat is None:
        return not_seated(table)
    if table.status != "finished":
        return Refused(Code.NOT_FINISHED, "The game at this table is not over yet; a rematch is possible afterwards.")
    if table.next is not None:
        return ()
    return (RematchOpened(at_ms=now_ms, rematch=command.table, by=table.seats[seat].name),)


def _close(_: Table, command: Close, now_ms: int) -> Decision:
    return (Closed(at_ms=now_ms, reason=command.reason),)


DECIDERS: Deciders = {Rematch: _play_again, Close: _close}
