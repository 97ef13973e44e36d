"""Token link: a visitor's connection to the server, with the token that the door keeps for them."""

from collections.abc import Callable

from msgspec.structs import replace

from scoville_client.transport.base import Link, Listener
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import HelloReply, HelloRequest, LoginReply, Params, Reply


class TokenLink:
    """A link that completes `hello` with the token of an earlier page, and passes on each later one.

    Args:
        link: The connection to the server.
        token: The token; empty for a new visitor.
        keep: Stores a token before it is used.
        secure: Whether nobody reads along between the visitor and the door.
    """

    def __init__(self, link: Link, token: str, keep: Callable[[str], object], *, secure: bool) -> None:
        self._link = link
        self._token = token
        self._keep = keep
        self._secure = secure

    @property
    def server_name(self) -> str:
        """The server's name in a sentence."""
        return self._link.server_name

    @property
    def server_keys(self) -> tuple[str, ...]:
        """The server's keys, as the door's connection proves them; none for a visitor whom others overhear."""
        return self._link.server_keys if self._secure else ()

    @property
    def local(self) -> bool:
        """Whether nothing that is sent can be overheard."""
        return self._link.local and self._secure

    async def open(self, listener: Listener) -> None:
        """Connect to the server. Raises LinkError."""
        await self._link.open(listener)

    async def call(self, params: Params) -> Reply:
        """Send a request and wait for its reply. Raises ScovilleError for a refusal, LinkError without an answer."""
        if isinstance(params, HelloRequest):
            return await self._hello(params)
        reply = await self._link.call(params)
        if isinstance(reply, LoginReply):
            self._keep(reply.token)
        return reply

    async def _hello(self, hello: HelloRequest) -> Reply:
        """Show the token; without it where the server refuses it on a connection that others overhear."""
        token, self._token = hello.token or self._token or None, ""
        try:
            reply = await self._link.call(replace(hello, token=token))
        except ScovilleError as error:
            if error.code != Code.INSECURE or token is None:
                raise
            reply = await self._link.call(replace(hello, token=None))
        assert isinstance(reply, HelloReply), "a link answers hello with its reply"
        self._keep(reply.token)
        return reply

    async def close(self) -> None:
        """Close the connection; the listener is not called any more."""
        await self._link.close()
