"""The rematch of a finished game: announced at the old table, for players who follow."""

from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from scoville_server.tables.model.action import (
    Action,
    Command,
    Records,
    Refused,
    refuse_unseated,
    require_host,
    with_event,
)
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol import messages as m


class Rematch(Command, frozen=True, kw_only=True):
    """Announce the rematch at `table` at the request of a player of this one, who may ask for `other_bots`."""

    user: UserId
    table: TableId
    other_bots: bool = False


class RematchOpened(Record, frozen=True, kw_only=True, tag="rematch_opened"):
    """The rematch was opened at `rematch`, at the request of the player named `by`."""

    rematch: TableId
    by: str


def _decide_rematch(table: Table, command: Rematch, now_ms: int) -> Records | Refused:
    seat = table.owned_seat(command.user)
    if seat is None:
        return refuse_unseated(table)
    if table.status != "finished":
        return Refused(Code.NOT_FINISHED, "The game at this table is not over yet; a rematch is possible afterwards.")
    if table.opened.reserved is not UNSET:
        # Its players would be somewhere else when the next round calls them.
        return Refused(Code.NO_REMATCH, "The tournament says who plays whom next, so this table has no rematch.")
    if table.opened.deal:
        return Refused(Code.NO_REMATCH, "Everybody plays a daily deal once, so it has no rematch.")
    if command.other_bots and isinstance(
        refused := require_host(table, seat, "chooses the bots of a rematch"), Refused
    ):
        return refused
    # One rematch for all who ask for it.
    if table.next is not None:
        return ()
    return (RematchOpened(at_ms=now_ms, rematch=command.table, by=table.seats[seat].name),)


def _evolve_rematch_opened(table: Table, record: RematchOpened) -> Table:
    after = replace(table, next=record.rematch, acted_ms=record.at_ms)
    return with_event(after, m.RematchOpened(seq=table.seq + 1, rematch=record.rematch, by=record.by))


ACTION: Final = Action({Rematch: _decide_rematch}, {RematchOpened: _evolve_rematch_opened})
