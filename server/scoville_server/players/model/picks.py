"""Thinking times: from when a player owed a move until they made it."""

from collections.abc import Iterator
from typing import NamedTuple

from scoville_server.tables.model.table import Table
from scoville_shared.protocol.messages import Played, Started


class Pick(NamedTuple):
    """A player's move, and the time it took in milliseconds."""

    seat: int
    ms: int


def list_picks(table: Table) -> Iterator[Pick]:
    """Yield the moves of a table's players; a taken back move counts, and its replacement counts from then."""
    owed: dict[int, int] = {}
    moves = iter(table.moves)
    for recorded in table.recorded_events:
        event = recorded.event
        if isinstance(event, Started):
            owed = dict.fromkeys(event.pending, table.started_ms)
        elif isinstance(event, Played):
            made = next(moves)
            since = owed.pop(event.seat, None)
            if since is not None and event.mover == "player":
                yield Pick(event.seat, max(0, made.at_ms - since))
            for seat in event.pending:
                owed.setdefault(seat, made.at_ms)
