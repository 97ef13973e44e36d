"""The connection of a request, as handlers see it, and the type of a feature's handlers."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeVar

from scoville_server.accounts.sessions import User
from scoville_server.limits.throttle import Source
from scoville_server.net.service import Peer
from scoville_shared.protocol.messages import Params, Reply

C = TypeVar("C")

Answer = Reply | Awaitable[Reply]

Handlers = Mapping[type[Params], Callable[[C, Any], Answer]]
"""A handler per kind of request. It gets the connection and the request, and may raise ScovilleError.

`C` is what the handlers need of the connection; the router's type check proves that `ClientConnection` has it.
"""


# Handlers state what they need and import neither `connection` nor `core`, which know every feature: else all of them
# were one import circle.
class Connection(Protocol):
    """Connection of one client; the handlers of a feature extend it by the services that they need."""

    peer: Peer

    @property
    def user(self) -> User:
        """The connection's user. Raises ScovilleError before `hello`, and after a takeover."""

    @property
    def source(self) -> Source:
        """Where a request comes from, for the limits. Raises ScovilleError as `user` does."""
