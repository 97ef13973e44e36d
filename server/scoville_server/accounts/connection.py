"""One client's connection as handlers of requests see it, and the type of a feature's handlers."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from scoville_server.accounts.sessions import Sessions, User
from scoville_server.limits.throttle import Source
from scoville_server.net.service import Peer
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import Params, Reply

Answer = Reply | Awaitable[Reply]


class ConnectedClient:
    """A connection and its user, who comes from `hello` or a log-in alone, never from another request.

    Attributes:
        peer: The connection itself.
        known_user: The greeted user, who may have been taken over since; None before `hello`.
        nonce: That of the last challenge until it is used; empty for none.
        fresh_until: Until when (monotonic seconds) the user may change credentials.
    """

    def __init__(self, peer: Peer, sessions: Sessions) -> None:
        self.peer = peer
        self.known_user: User | None = None
        self.nonce = ""
        self.fresh_until = 0.0
        self._sessions = sessions

    @property
    def user(self) -> User:
        """The connection's user. Raises ScovilleError before `hello`, and after a takeover."""
        if self.known_user is None:
            raise ScovilleError(Code.HELLO_FIRST, "The first request of a connection must be hello.")
        if self.known_user.peer is not self.peer:
            raise ScovilleError(Code.TAKEN_OVER, "You connected from somewhere else; this connection is closed.")
        return self.known_user

    @property
    def source(self) -> Source:
        """Where a request comes from, for the limits. Raises ScovilleError as `user` does."""
        return self._sessions.source_of(self.user)


Handlers = Mapping[type[Params], Callable[[ConnectedClient, Any], Answer]]
"""A handler per kind of request. It gets the connection and the request, and may raise ScovilleError."""
