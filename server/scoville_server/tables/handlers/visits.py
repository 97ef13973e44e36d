"""Visits: the tables that connections find, act at and watch, within the fair share of their address."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from scoville_server.accounts.connection import ConnectedClient
from scoville_server.accounts.users import UserObserver
from scoville_server.errors import unknown_table
from scoville_server.limits.budgets import Budgets
from scoville_server.limits.fair_shares import Shares
from scoville_server.limits.live import Adjustable, as_live
from scoville_server.net.service import Peer
from scoville_server.tables.actor import TableActor
from scoville_server.tables.lifecycle.rematch import Rematches
from scoville_server.tables.observers import TableObserver
from scoville_server.tables.registry import TableRegistry
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId
from scoville_shared.protocol.messages import OfTable


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


class TableVisits(UserObserver):
    """Finds tables for the users of connections, and notes which connection watches which tables, at most `most`."""

    def __init__(
        self, registry: TableRegistry, rematches: Rematches, spectators: Spectators, budgets: Budgets, most: int
    ) -> None:
        self._registry = registry
        self._rematches = rematches
        self._spectators = spectators
        self._budgets = budgets
        self._most = most
        self._watched: defaultdict[Peer, set[TableId]] = defaultdict(set)

    def find_table(self, connection: ConnectedClient, table: str) -> TableActor:
        """Find a table for the connection's user; one that is hidden from them does not exist. Raises ScovilleError."""
        actor = self._registry.tables.find_table(table)
        if actor.table.hidden_from(connection.user.id):
            raise unknown_table(table)
        return actor

    def visit_table(self, connection: ConnectedClient, table: str) -> TableActor:
        """Find a table at which the connection's user is now: their seat in a rematch stays theirs.

        Raises ScovilleError.
        """
        actor = self.find_table(connection, table)
        self._rematches.user_arrived(actor.table.id, connection.user.id)
        return actor

    def visit_to_act(self, connection: ConnectedClient, p: OfTable, *, ends: bool = False) -> TableActor:
        """Visit a table for an action other than a move, and count the action. Raises ScovilleError.

        An action that `ends` something (leave, resume) follows one that was counted, and is refused only by its user's
        own count.
        """
        actor = self.visit_table(connection, p.table)
        source = connection.source._replace(networks=()) if ends else connection.source
        self._budgets.count_action(source, actor.table.id)
        return actor

    def start_watching(self, connection: ConnectedClient, actor: TableActor) -> None:
        """Note that a connection watches a table. Raises ScovilleError `too_many`."""
        table, watched = actor.table.id, self._watched[connection.peer]
        # Removed tables are forgotten only when the bound is reached: their removal does not know who watched them.
        if len(watched) >= self._most:
            watched.intersection_update([each for each in watched if each in self._registry.tables])
        if len(watched) >= self._most and table not in watched:
            raise ScovilleError(
                Code.TOO_MANY, f"This connection already watches {self._most} tables; stop watching one first."
            )
        if actor.table.owned_seat(connection.user.id) is None:
            self._spectators.add_spectator(table, connection.peer, connection.source.networks)
        watched.add(table)

    def list_watched(self, peer: Peer) -> list[TableActor]:
        """List the tables that a connection watches."""
        tables = self._registry.tables
        return [tables.find_table(table) for table in self._watched.get(peer, ()) if table in tables]

    def stop_watching(self, peer: Peer, table: str) -> None:
        """Note that a connection no longer watches a table; one that it did not watch is fine."""
        watched = self._watched.get(peer, set())
        if table in watched:
            watched.discard(TableId(table))
            self._spectators.remove_spectator(table, peer)
            self._registry.unwatch_table(table, peer)

    def connection_released(self, peer: Peer) -> None:
        for table in tuple(self._watched.get(peer, ())):
            self.stop_watching(peer, table)
        self._watched.pop(peer, None)
