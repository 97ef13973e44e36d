"""Spectating: which table a client without a seat watches, and which one after it."""

from collections.abc import Iterable

from scoville_client.session.session import Session
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import TableInfo

_ASKED_LATER = (Code.WRONG_PASSWORD, Code.UNKNOWN_CODE)
"""Refusals after which the user is asked for a password or for another code."""


def busiest_table(tables: Iterable[TableInfo]) -> TableInfo | None:
    """Return the table for a spectator without a code: the running game with most human players, else a waiting one.

    Tables that are private, locked or closed to spectators are never chosen; None where there is no other.
    """
    open_ones = [table for table in tables if _is_open(table)]
    return max(open_ones, key=lambda table: (table.status == "playing", _human_players(table)), default=None)


def list_busiest(tables: Iterable[TableInfo], most: int) -> list[TableInfo]:
    """List running games that all users may watch, those with most human players first; not those of this user."""
    running = [table for table in tables if table.status == "playing" and table.your_seat is None and _is_open(table)]
    return sorted(running, key=_human_players, reverse=True)[:most]


async def begin_watching(session: Session, code: str) -> None:
    """Watch the table with a code, or the busiest one; watch nothing where a password is missing or no table has it."""
    if not code:
        await session.lobby.refresh_tables()
        found = busiest_table(session.lobby.tables)
    else:
        try:
            found = await session.lobby.enter_table(code=code)
        except ScovilleError as error:
            if error.code not in _ASKED_LATER:
                raise
            found = None
    if found is not None:
        await session.watch_table(found.table)


def _is_open(table: TableInfo) -> bool:
    hidden = table.locked or table.settings.private or table.settings.spectating == "nobody"
    return not hidden and table.status != "finished" and _human_players(table) > 0


def _human_players(table: TableInfo) -> int:
    return sum(seat.kind == "human" for seat in table.seats)
