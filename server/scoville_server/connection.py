"""One client's connection: its user, the tables it watches, and its requests."""

from collections.abc import Callable

from scoville_server.accounts.connection import Answer, Handlers
from scoville_server.accounts.sessions import User
from scoville_server.core import ServerCore
from scoville_server.errors import unknown_table
from scoville_server.limits.throttle import Source
from scoville_server.net.sanitize import cleaned
from scoville_server.net.service import Peer
from scoville_server.tables.actor import TableActor
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import METHOD_OF, Params


class ClientConnection:
    """One connection, as a `ConnectionHandler`. Its user comes from `hello` alone, never from a request.

    `known` is the greeted user, `watched` are the tables whose events it gets; `nonce` is that of the last challenge
    until it is used, and until `fresh_until` (monotonic seconds) the user may change credentials.
    """

    def __init__(
        self,
        core: ServerCore,
        peer: Peer,
        handlers: Handlers["ClientConnection"],
        left: Callable[["ClientConnection"], None],
    ) -> None:
        self.core = core
        self.peer = peer
        self.known: User | None = None
        self.watched: set[str] = set()
        self.nonce = ""
        self.fresh_until = 0.0
        self._handlers = handlers
        self._left = left

    def handle(self, params: Params) -> Answer:
        """Handle a request. Raises ScovilleError."""
        return self._handlers[type(params)](self, cleaned(params))

    def refused(self, params: Params | None, code: str) -> None:
        """Write a refusal to the event log."""
        method = "connect" if params is None else METHOD_OF[type(params)]
        user = "" if self.known is None else self.known.name
        self.core.events.write("refusal", code=code, method=method, user=user, **self._origin)

    @property
    def _origin(self) -> dict[str, str | int]:
        return {"address": self.peer.address, "connection": self.peer.number}

    def closed(self) -> None:
        """Release everything that belongs to the connection; the user and their seats stay."""
        self._unwatch_all()
        if self.known is not None:
            self.core.disconnected(self.known, self.peer)
        self._left(self)

    @property
    def user(self) -> User:
        """The connection's user. Raises ScovilleError before `hello`, and after a takeover."""
        if self.known is None:
            raise ScovilleError(Code.HELLO_FIRST, "The first request of a connection must be hello.")
        if self.known.peer is not self.peer:
            raise ScovilleError(Code.TAKEN_OVER, "You connected from somewhere else; this connection is closed.")
        return self.known

    @property
    def source(self) -> Source:
        """Where a request comes from, for the limits. Raises ScovilleError as `user` does."""
        return self.core.sessions.source(self.user)

    def become(self, user: User, key: str) -> None:
        """Make this the connection of another user, in the session `key`; it watches nothing then.

        Raises ScovilleError if it was taken over.
        """
        old = self.user
        self._unwatch_all()
        self.core.disconnected(old, self.peer)
        self.known, self.fresh_until = user, 0.0
        self.core.logged_in(user, self.peer, key)

    def find(self, table: str) -> TableActor:
        """Find a table for the connection's user; one that is hidden from them does not exist. Raises ScovilleError."""
        actor = self.core.lobby.find(table)
        if actor.table.hidden_from(self.user.id):
            raise unknown_table(table)
        self.core.rematches.user_arrived(actor.table.id, self.user.id)
        return actor

    def begin_to_watch(self, actor: TableActor) -> None:
        """Note that this connection watches a table. Raises ScovilleError `too_many`."""
        table = actor.table.id
        limit, lobby = self.core.settings.tables_watched, self.core.lobby
        if len(self.watched) >= limit:
            self.watched = {watched for watched in self.watched if watched in lobby}
        if len(self.watched) >= limit and table not in self.watched:
            raise ScovilleError(
                Code.TOO_MANY, f"This connection already watches {limit} tables; stop watching one first."
            )
        if actor.table.owned_seat(self.user.id) is None:
            self.core.spectators.add(table, self.peer, self.source.networks)
        self.watched.add(table)

    def forget(self, table: str) -> None:
        """Note that this connection no longer watches a table."""
        if table in self.watched:
            self.watched.discard(table)
            self.core.spectators.remove(table, self.peer)
            self.core.registry.unwatch(table, self.peer)

    def _unwatch_all(self) -> None:
        for table in tuple(self.watched):
            self.forget(table)
        self.core.feed.unwatch(self.peer)
