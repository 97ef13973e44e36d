"""The line to a server over TCP."""

import asyncio
import socket

from scoville_client.clock import REAL, Clock
from scoville_client.i18n.language import words
from scoville_client.transport.address import Address
from scoville_client.transport.base import CALL_SECONDS, LinkError, Listener
from scoville_client.transport.caller import Caller
from scoville_shared.protocol.messages import Params, Reply

OPEN_SECONDS = 10.0
"""How long to knock at an address that does not answer at all."""


class TcpLink:
    """A line to the server at `host`:`port`; `seconds` is how long a call may take, by `clock`."""

    def __init__(self, host: str, port: int, seconds: float = CALL_SECONDS, clock: Clock = REAL) -> None:
        self._address = Address(host, port)
        self._clock = clock
        self._seconds = seconds
        self._caller: Caller | None = None

    @property
    def place(self) -> str:
        """Name the server by its address."""
        return str(self._address)

    async def open(self, listener: Listener) -> None:
        """Reach the server. Raises LinkError."""
        try:
            async with self._clock.limit(OPEN_SECONDS):
                self._caller = await self._connected(listener)
        except (socket.gaierror, UnicodeError):
            raise LinkError(words("There is no host called {host}.", host=repr(self._address.host))) from None
        except OSError:  # a TimeoutError is one as well
            raise LinkError(
                words("Nobody answers at {address}. Is the server running?", address=str(self._address))
            ) from None

    async def call(self, params: Params) -> Reply:
        """Ask and wait for the answer. Raises ScovilleError or LinkError."""
        if self._caller is None:
            raise LinkError(words("There is no line to a server."))
        return await self._caller.call(params)

    async def close(self) -> None:
        """Hang up."""
        if self._caller is not None:
            await self._caller.hang_up()

    async def _connected(self, listener: Listener) -> Caller:
        host, port = self._address
        loop = asyncio.get_running_loop()
        _, caller = await loop.create_connection(
            lambda: Caller(listener, self.place, self._seconds, self._clock), host, port
        )
        return caller
