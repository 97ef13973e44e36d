"""Bounds of those who watch a table, in fair shares by address: spectators, and requests that wait for events."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from scoville_server.limits.fair_shares import Shares
from scoville_server.limits.live import Adjustable, as_live
from scoville_server.tables.actor import TableActor
from scoville_server.tables.observers import TableObserver
from scoville_shared.errors import Code, ScovilleError


class Spectators(TableObserver):
    """Counts the connections that watch a table without a seat, at most `most` per table."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._of: dict[str, dict[object, None]] = {}
        self._shares: dict[str, Shares[object]] = {}

    def add_spectator(self, table: str, connection: object, networks: Sequence[str]) -> None:
        """Add a connection. Raises ScovilleError `too_many`."""
        watching = self._of.setdefault(table, {})
        if connection in watching:
            return
        shares = self._shares.setdefault(table, Shares())
        free = self._most - len(watching)
        if free <= 0 or shares.refuses_more(networks, free):
            raise ScovilleError(Code.TOO_MANY, "This table already has too many spectators; try another one.")
        watching[connection] = None
        shares.hold_thing(connection, networks)

    def remove_spectator(self, table: str, connection: object) -> None:
        if connection in self._of.get(table, {}):
            del self._of[table][connection]
            self._shares[table].release_thing(connection)

    def table_removed(self, actor: TableActor) -> None:
        self._of.pop(actor.table.id, None)
        self._shares.pop(actor.table.id, None)


class Polls:
    """Counts the waiting requests, at most `most` at a time."""

    def __init__(self, most: Adjustable[int]) -> None:
        self._most = as_live(most)
        self._count = 0
        self._shares: Shares[object] = Shares()

    @property
    def waiting(self) -> int:
        """How many wait now."""
        return self._count

    @contextmanager
    def count_poll(self, networks: Sequence[str]) -> Iterator[None]:
        """Count one request while it waits. Raises ScovilleError `too_many`."""
        free = self._most.value - self._count
        if free <= 0 or self._shares.refuses_more(networks, free):
            raise ScovilleError(Code.TOO_MANY, "Too many requests are waiting for events; poll with wait_ms 0.")
        request = object()
        self._count += 1
        self._shares.hold_thing(request, networks)
        try:
            yield
        finally:
            self._count -= 1
            self._shares.release_thing(request)
