"""Link to a server over TCP in plain text."""

import asyncio
import socket

from scoville_client.i18n.language import tr
from scoville_client.transport.address import Address
from scoville_client.transport.base import CALL_SECONDS, LinkError, Listener
from scoville_client.transport.caller import Caller
from scoville_client.transport.stream_link import StreamLink
from scoville_runtime.clock import SYSTEM, Clock

OPEN_SECONDS = 10.0
"""Seconds to wait for a TCP connection."""


class TcpLink(StreamLink):
    """A connection to one server that everybody in between can read.

    Args:
        host: Host name or address of the server.
        port: Its port.
        seconds: Limit of a call.
        clock: Clock for the limits.
    """

    def __init__(self, host: str, port: int, seconds: float = CALL_SECONDS, clock: Clock = SYSTEM) -> None:
        super().__init__()
        self._address = Address(host, port)
        self._clock = clock
        self._seconds = seconds

    @property
    def server_name(self) -> str:
        return str(self._address)

    async def _connect(self, listener: Listener) -> Caller:
        host, port = self._address.host, self._address.port
        loop = asyncio.get_running_loop()
        try:
            async with self._clock.limit(OPEN_SECONDS):
                _, caller = await loop.create_connection(
                    lambda: Caller(listener, self.server_name, self._seconds, self._clock), host, port
                )
                return caller
        except (socket.gaierror, UnicodeError):
            raise LinkError(tr("There is no computer called {host}.", host=repr(host))) from None
        except OSError:  # a TimeoutError is one as well
            raise LinkError(tr("No server answers at {address}. Is it running?", address=self.server_name)) from None
