"""Link to a server in this process: practice and hosting run the real server, through the same bytes.

The only module of the client that imports the server.
"""

import asyncio
from collections import deque
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from scoville_client.i18n.language import tr
from scoville_client.transport.address import port_refused
from scoville_client.transport.base import LinkError, Listener
from scoville_client.transport.caller import Caller
from scoville_client.transport.tcp import StreamLink
from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.daily.model.calendar import DailySettings
from scoville_server.journal.base import FolderTaken, JournalError
from scoville_server.net.doors.settings import DoorSettings
from scoville_server.net.doors.unix_socket import SocketError
from scoville_server.net.interfaces import lan_addresses as _lan_addresses
from scoville_server.net.lan.publisher import find_missing
from scoville_server.server import Server
from scoville_server.settings.games import read_option_file
from scoville_server.settings.model import BadSettings, Settings
from scoville_shared.identity import replaced_keys
from scoville_shared.replay import Opening


class MemoryTransport(asyncio.Transport):
    """One end of a pair: the other end's protocol receives the data one turn of the loop later."""

    def __init__(self, protocol: asyncio.BaseProtocol) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._protocol = protocol
        self._other: MemoryTransport | None = None
        self._arrived: deque[bytes] = deque()
        self._reading = True
        self._closing = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes; after `close` they are dropped."""
        if not self._closing and self._other is not None:
            # One turn later, as with a socket: neither end runs inside the other's call.
            self._loop.call_soon(self._other._take_bytes, bytes(data))  # noqa: SLF001 - the same class

    def close(self) -> None:
        """Close both ends after everything that was written."""
        if not self._closing:
            self._closing = True
            # Behind the written bytes, which are on their way by `call_soon` too.
            self._loop.call_soon(self._lose_connection)

    def abort(self) -> None:
        """Close both ends."""
        self.close()

    def is_closing(self) -> bool:
        """Whether `close` was called here or at the other end."""
        return self._closing

    def pause_reading(self) -> None:
        """Keep arriving bytes until `resume_reading`."""
        self._reading = False

    def resume_reading(self) -> None:
        """Receive again, first the kept bytes."""
        self._reading = True
        # Not at once: the caller may still handle earlier bytes.
        self._loop.call_soon(self._deliver_bytes)

    def is_reading(self) -> bool:
        """Whether arriving bytes are received."""
        return self._reading and not self._closing

    def get_extra_info(self, name: str, default: Any = None) -> Any:  # noqa: ARG002 - nothing is known of memory
        """Return the default: there is no socket and no address."""
        return default

    def get_write_buffer_size(self) -> int:
        """Return the number of bytes that the other end has not received yet."""
        return 0 if self._other is None else sum(map(len, self._other._arrived))  # noqa: SLF001 - the same class

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Do nothing: both ends are in this process and read."""

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Return the protocol of this end."""
        return self._protocol

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Replace the protocol of this end."""
        self._protocol = protocol

    def _take_bytes(self, data: bytes) -> None:
        self._arrived.append(data)
        self._deliver_bytes()

    def _deliver_bytes(self) -> None:
        while self._arrived and self.is_reading():
            assert isinstance(self._protocol, asyncio.Protocol)
            self._protocol.data_received(self._arrived.popleft())

    def _lose_connection(self) -> None:
        other, self._other = self._other, None
        self._protocol.connection_lost(None)
        if other is not None:
            other._other = None  # noqa: SLF001 - the same class
            other.close()


def connect_in_memory(one: asyncio.BaseProtocol, other: asyncio.BaseProtocol) -> None:
    """Connect two protocols as by a socket."""
    left, right = MemoryTransport(one), MemoryTransport(other)
    left._other, right._other = right, left  # noqa: SLF001 - a pair is made here
    other.connection_made(right)
    one.connection_made(left)


class LocalLink(StreamLink):
    """A connection to a started server in this process."""

    def __init__(self, server: Server, clock: Clock = SYSTEM) -> None:
        super().__init__()
        self._server = server
        self._clock = clock

    @property
    def server_name(self) -> str:
        return tr("this computer")

    @property
    def server_keys(self) -> tuple[str, ...]:
        """The key of the server in this process, and those that it has replaced."""
        key = self._server.key
        return (key.public.hex(), *(each.hex() for each in replaced_keys(key.public, key.former)))

    @property
    def local(self) -> bool:
        return True

    async def _connect(self, listener: Listener) -> Caller:
        caller = Caller(listener, self.server_name, clock=self._clock)
        connect_in_memory(caller, self._server.make_protocol())
        return caller


def lan_addresses() -> list[str]:
    """Return the addresses at which other machines can reach this one, the most likely first."""
    return _lan_addresses()


def read_host_option(option: str, path: Path) -> dict[str, dict[str, Any]]:
    """Read a host's own value of an option from a text file. Raises ValueError, naming the file and the line."""
    try:
        return read_option_file(option, path)
    except BadSettings as error:
        raise ValueError(error.message) from error


async def serve_in_process(
    *,
    host: str = "",
    port: int | None = None,
    seed: bytes | None = None,
    game_options: dict[str, dict[str, Any]] | None = None,
    offered: tuple[str, ...] = (),
    opening: Opening | None = None,
    data: Path | None = None,
    doors: bool = False,
    announce: bool = False,
    unfinished: Path | None = None,
) -> Server:
    """Start a server in this process.

    Args:
        host: Address to listen on; empty for all addresses of the machine.
        port: Port to listen on, 0 for any free one; None when only this process connects.
        seed: Server seed of 32 bytes, for a game that can be dealt again; None for a random one.
        game_options: The host's own defaults of options, by game.
        offered: The games that are offered; all if empty.
        opening: Exported game that the first table continues.
        data: Folder in which tables are saved; None to save nothing.
        doors: Whether the server takes doors, see `Server.door_socket`.
        announce: Announce the server on the local network, where that is possible.
        unfinished: Folder in which running games are kept that nobody else plays; None to keep none.

    Raises:
        LinkError: The folder, the port or the socket is in use, or the journal cannot be read.
    """
    own = game_options or {}
    settings = Settings(host=host, port=port, seed=seed, game_options=own, offered=offered, opening=opening, data=data)
    settings = replace(settings, unfinished=unfinished)
    settings = replace(settings, doors=DoorSettings(enabled=doors), announce=announce and not find_missing())

    # A server that saves nothing cannot promise one attempt a day.
    settings = replace(settings, daily=DailySettings(enabled=data is not None))
    if port is None:  # nobody else waits for this table
        settings = replace(settings, idle_seconds=0, finished_seconds=0)
    server = Server(settings)

    try:
        await server.start()
    except FolderTaken:
        await server.close()
        raise LinkError(
            tr(
                "A server already uses {folder}. To start another one: scoville host --data FOLDER --port 0",
                folder=str(data),
            )
        ) from None
    except (JournalError, SocketError) as error:
        await server.close()
        raise LinkError(error.message) from error
    except OSError as error:
        await server.close()
        raise LinkError(port_refused(error, port or 0, "--port")) from None
    return server
