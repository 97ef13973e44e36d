"""Another game with the same people: where they gather."""

from collections.abc import Iterable

from scoville_shared.wire.messages import SeatInfo, TableInfo


def rematch(tables: Iterable[TableInfo], over: TableInfo, me: str) -> TableInfo | None:
    """Find the table that somebody of the table that is `over` has opened for the same game, with a seat for `me`.

    Who has got up from a table that is over counts as a bot there; so all its names do.
    """
    people = {seat.name for seat in over.seats} - {me}
    return next((table for table in tables if table.game == over.game and _gathers(table, people)), None)


def opener(table: TableInfo) -> str:
    """Name the person who waits there for the others."""
    return next((seat.name for seat in table.seats if seat.kind == "human"), "")


def _gathers(table: TableInfo, people: set[str]) -> bool:
    return table.status == "waiting" and any(map(_free, table.seats)) and any(s.name in people for s in table.seats)


def _free(seat: SeatInfo) -> bool:
    return seat.kind == "open"
