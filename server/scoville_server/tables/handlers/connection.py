"""Interfaces of a connection and of the core for the handlers of tables."""

from typing import Protocol

from scoville_server.accounts.connection import Connection
from scoville_server.accounts.sessions import Sessions, User
from scoville_server.limits.budgets import Budgets
from scoville_server.limits.throttle import Source
from scoville_server.nodes.connections import UserConnections
from scoville_server.nodes.directory import Directory
from scoville_server.tables.access import TableAccess
from scoville_server.tables.actor import TableActor
from scoville_server.tables.archive.archive import Archive
from scoville_server.tables.archive.signing import TableSigner
from scoville_server.tables.lifecycle.rematch import Rematches
from scoville_server.tables.watching.polls import Polls
from scoville_shared.protocol.messages import CreateRequest


class TableCore(Protocol):
    """The services that the handlers of tables call. `tables_seated` is the most tables at which one user sits."""

    access: TableAccess
    archive: Archive | None
    budgets: Budgets
    connections: UserConnections
    lobby: Directory[TableActor]
    polls: Polls
    rematches: Rematches
    sessions: Sessions
    signer: TableSigner
    tables_seated: int

    def check_open(self) -> None:
        """Refuse to start anything new while the server drains. Raises ScovilleError `shutting_down`."""

    def check_may_play(self, user: User) -> None:
        """Check that a user may play here. Raises ScovilleError `banned` and `shutting_down`."""

    def ignores(self, user: User, other: User) -> bool:
        """Whether a user ignores another one, invitations included."""

    async def remember(self, user: User) -> None:
        """Keep a user before they have anything to return to. Raises JournalError."""

    async def open_table(self, user: User, source: Source, request: CreateRequest) -> TableActor:
        """Open a table for a user. Raises ScovilleError."""

    async def open_rematch(self, old: TableActor, user: User, source: Source) -> TableActor:
        """Find or open the rematch of a finished game. Raises ScovilleError."""


class TableConnection(Connection, Protocol):
    """A connection that watches tables and acts at them."""

    @property
    def core(self) -> TableCore:
        """The services."""

    def find(self, table: str) -> TableActor:
        """Find a table for the connection's user. Raises ScovilleError `unknown_table`."""

    def begin_to_watch(self, actor: TableActor) -> None:
        """Note that this connection watches a table. Raises ScovilleError `too_many`."""

    def forget(self, table: str) -> None:
        """Note that this connection no longer watches a table."""
