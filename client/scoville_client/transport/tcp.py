"""Links over a stream of bytes: to a server over TCP in plain text, and over the Unix socket of a local one."""

import asyncio
import socket
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any, Final

from scoville_client.i18n.language import tr
from scoville_client.transport.address import Address
from scoville_client.transport.base import CALL_SECONDS, LinkError, Listener
from scoville_client.transport.caller import Caller
from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.short_paths import short_path_to
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


OPEN_SECONDS = 10.0
"""Seconds to wait for a TCP connection."""


class TcpLink(StreamLink):
    """An unencrypted connection to one server.

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
                    lambda: Caller(listener, self.server_name, self._seconds, self._clock),
                    sock=await connect_socket(host, port),
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


# --- connecting to a computer by its name, whose look-up nobody has to wait for to the end ----------------

_Place = tuple[socket.AddressFamily, tuple[Any, ...]]
"""A family of addresses, and the address and port as sockets of that family take them."""


async def connect_socket(host: str, port: int) -> socket.socket:
    """Connect to the first address of a host that accepts.

    Raises:
        socket.gaierror, UnicodeError: There is no such host.
        OSError: None of its addresses accepts.
    """
    failure = OSError(f"{host} has no address")
    for family, address in await _look_up(host, port):
        # With the protocol: of a socket without it the event loop does not know that small messages must not wait.
        connecting = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            connecting.setblocking(False)
            await asyncio.get_running_loop().sock_connect(connecting, address)
        except OSError as error:
            connecting.close()
            failure = error
        # A cancel, too: nobody else knows the socket.
        except BaseException:
            connecting.close()
            raise
        else:
            return connecting
    raise failure


async def _look_up(host: str, port: int) -> list[_Place]:
    """Return the addresses of a host, the best first. Raises socket.gaierror, UnicodeError, OSError."""
    # The usual case needs no thread: an address in digits.
    with suppress(socket.gaierror):
        return _ask_system(host, port, socket.AI_NUMERICHOST)
    asked = (asyncio.get_running_loop(), host, port)
    if asked not in _LOOK_UPS:
        _LOOK_UPS[asked] = _ask_in_thread(*asked)
    # Others may wait for the same answer.
    return await asyncio.shield(_LOOK_UPS[asked])


_LOOK_UPS: Final[dict[tuple[asyncio.AbstractEventLoop, str, int], "asyncio.Future[list[_Place]]"]] = {}
"""Look-ups under way, one for each name: else each user of a door would have a thread that waits for a silent one."""


def _ask_in_thread(loop: asyncio.AbstractEventLoop, host: str, port: int) -> "asyncio.Future[list[_Place]]":
    """Ask the system for the addresses of a name.

    Not in one of the loop's own threads: a program ends only after those, and a name server that is silent takes half a
    minute to be given up.
    """
    found: asyncio.Future[list[_Place]] = loop.create_future()

    def end_look_up(done: "asyncio.Future[list[_Place]]") -> None:
        del _LOOK_UPS[loop, host, port]
        done.exception()  # perhaps nobody waits any more: a failure is none then

    def answer_look_up() -> None:
        places, failure = list[_Place](), None
        try:
            places = _ask_system(host, port)
        except (OSError, UnicodeError) as error:
            failure = error
        with suppress(RuntimeError):  # the loop is closed: the program has ended meanwhile
            if failure is None:
                loop.call_soon_threadsafe(found.set_result, places)
            else:
                loop.call_soon_threadsafe(found.set_exception, failure)

    found.add_done_callback(end_look_up)
    Thread(target=answer_look_up, name="name", daemon=True).start()
    return found


def _ask_system(host: str, port: int, flags: int = 0) -> list[_Place]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
    return [(family, address) for family, _, _, _, address in found]
