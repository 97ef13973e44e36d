"""Links to a server over TCP in plain text, and over the Unix socket of one on this computer."""

import asyncio
import socket
from pathlib import Path

from scoville_client.i18n.language import tr
from scoville_client.transport.address import Address
from scoville_client.transport.base import CALL_SECONDS, LinkError, Listener
from scoville_client.transport.caller import Caller
from scoville_client.transport.stream_link import StreamLink
from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.short_paths import short_path_to

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


class UnixLink(StreamLink):
    """A connection that does not leave this computer, to the socket at `path`."""

    def __init__(self, path: Path, seconds: float = CALL_SECONDS, clock: Clock = SYSTEM) -> None:
        super().__init__()
        self._path = path
        self._seconds = seconds
        self._clock = clock

    @property
    def server_name(self) -> str:
        """The server in a sentence; its path says nothing to users."""
        return tr("this computer")

    @property
    def local(self) -> bool:
        return True

    async def _connect(self, listener: Listener) -> Caller:
        loop = asyncio.get_running_loop()
        try:
            async with self._clock.limit(OPEN_SECONDS):
                with short_path_to(self._path) as short:
                    _, caller = await loop.create_unix_connection(
                        lambda: Caller(listener, self.server_name, self._seconds, self._clock), short
                    )
                return caller
        except OSError:  # a TimeoutError is one as well
            raise LinkError(tr("The server does not answer. Is it running?")) from None
