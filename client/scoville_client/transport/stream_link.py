"""Link over a stream of bytes: calls on the connection that a subclass opens."""

from abc import ABC, abstractmethod

from scoville_client.i18n.language import tr
from scoville_client.transport.base import LinkError, Listener
from scoville_client.transport.caller import Caller
from scoville_shared.protocol.messages import Params, Reply


class StreamLink(ABC):
    """A `Link` whose subclasses know how to connect to their server."""

    def __init__(self) -> None:
        self._caller: Caller | None = None

    @property
    @abstractmethod
    def server_name(self) -> str:
        """The server's name in a sentence."""

    @property
    def server_keys(self) -> tuple[str, ...]:
        """The server's public key in hex and those that it has replaced; empty if nothing proves them."""
        return ()

    @property
    def local(self) -> bool:
        """Whether the present connection does not leave this computer."""
        return self._caller is not None and self._caller.local

    @property
    def has_other_nodes(self) -> bool:
        """Whether the server has other nodes, of which one may take over."""
        return False

    def leave_node(self) -> None:  # noqa: B027 - most servers have one node
        """Do nothing: there is no other node."""

    @abstractmethod
    async def _connect(self, listener: Listener) -> Caller:
        """Return a caller on a new connection. Raises LinkError."""

    async def open(self, listener: Listener) -> None:
        """Connect to the server. Raises LinkError."""
        self._caller = await self._connect(listener)

    async def call(self, params: Params) -> Reply:
        """Send a request and wait for its reply. Raises ScovilleError for a refusal, LinkError without an answer."""
        if self._caller is None:
            raise LinkError(tr("There is no connection to a server."))
        return await self._caller.call(params)

    async def close(self) -> None:
        """Close the connection; the listener is not called any more."""
        if self._caller is not None:
            await self._caller.close()
