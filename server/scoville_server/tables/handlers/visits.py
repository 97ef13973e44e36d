"""Visits: the tables that connections find, act at and watch."""

from collections import defaultdict

from scoville_server.accounts.connection import ConnectedClient
from scoville_server.accounts.users import UserObserver
from scoville_server.errors import unknown_table
from scoville_server.limits.budgets import Budgets
from scoville_server.net.service import Peer
from scoville_server.tables.actor import TableActor
from scoville_server.tables.lifecycle.rematch import Rematches
from scoville_server.tables.registry import TableRegistry
from scoville_server.tables.watch_limits import Spectators
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId
from scoville_shared.protocol.messages import OfTable


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
