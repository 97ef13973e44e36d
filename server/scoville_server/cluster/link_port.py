"""The port for links of other nodes, and the way to theirs: TCP, with TLS in which both ends prove the same key."""

import asyncio
import logging
import socket
from collections.abc import Callable, Coroutine
from typing import Any, Final, cast

from scoville_runtime.clock import Alarm, Clock
from scoville_server.identity import ServerKey
from scoville_server.journal.base import JournalError
from scoville_server.net.tls.context import LinkContexts, link_contexts
from scoville_server.nodes.link.asking import AskingEnd
from scoville_server.nodes.link.ends import Carrier, LinkEnd
from scoville_server.nodes.link.links import Links
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.neighbours import Neighbours
from scoville_server.nodes.settings import LINK_PORT, ClusterSettings
from scoville_server.observation.metrics_settings import parse_listen
from scoville_shared.networks import write_peer

_log = logging.getLogger(__name__)

CONNECT_SECONDS: Final = 2.0
"""How long a connection to another node, with its handshake, may take: as long as one that hangs is waited for."""
PING_SECONDS: Final = 1.0
SILENT_SECONDS: Final = 3.0
"""A link is pinged after so much silence, and lost after so much."""
_LATE_SECONDS: Final = 0.5
"""A node that is so late itself has not read what the other one has sent."""
MOST_UNPROVED: Final = 32
"""Connections that have not proved the key yet; further ones are closed at once."""
_HIGH: Final = 256 * 1024
"""Bytes that may wait to be sent before this node reads no more requests of the other one."""
_KEEPALIVE: Final = {"TCP_USER_TIMEOUT": 10_000}
"""Milliseconds in which sent data must be acknowledged."""


class LinkConnection(asyncio.Protocol):
    """The connection of one end, its `Carrier`.

    Args:
        clock: The clock.
        on_lost: Is called when it is lost.
        find_key: Returns the public key of the cluster.
        reads_always: Whether it reads on when it cannot write, as the end does that asks: one of both must, or each
            would wait for the other.
    """

    end: LinkEnd

    def __init__(
        self,
        clock: Clock,
        on_lost: Callable[["LinkConnection"], object],
        find_key: Callable[[], bytes],
        *,
        reads_always: bool,
    ) -> None:
        self._clock = clock
        self._find_key = find_key
        self._key = find_key()
        self._on_lost = on_lost
        self._reads_always = reads_always
        self._transport: asyncio.Transport | None = None
        self._is_due = self._is_full = self._is_reading_on = False
        self._heard = self._ticked = clock.seconds()
        self._alarm: Alarm | None = None

    # --- callbacks of the transport ------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=_HIGH)
        own = transport.get_extra_info("socket")
        for name, value in _KEEPALIVE.items():
            if hasattr(socket, name):
                own.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        self._heard = self._ticked = self._clock.seconds()
        self._alarm = self._clock.call_later(PING_SECONDS, self._watch_silence)
        if isinstance(self.end, AskingEnd):
            self.end.begin_link()

    def data_received(self, data: bytes) -> None:
        self._heard = self._clock.seconds()
        self.end.receive_bytes(data)

    def pause_writing(self) -> None:
        self._is_full = True
        self._pause_or_resume()

    def resume_writing(self) -> None:
        self._is_full = False
        self._pause_or_resume()
        self.flush_soon()

    def connection_lost(self, reason: Exception | None) -> None:
        if reason is not None:
            _log.info("link with node %s: %s", self.end.other or "unknown", reason)
        self.give_up()

    def give_up(self) -> None:
        """Note that there is no connection."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        self._on_lost(self)
        self.end.lose_link()

    # --- for the end ---------------------------------------------------------------------------------

    def flush_soon(self) -> None:
        if not self._is_due and not self._is_full and self._transport is not None:
            self._is_due = True
            # One write for all that is sent in this turn.
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._is_due = False
        if self._transport is None or self._transport.is_closing() or self._is_full:
            return
        data = self.end.take_bytes()
        if data:
            self._transport.write(data)
        if self.end.has_more:
            self.flush_soon()

    def read_on_soon(self) -> None:
        self._is_reading_on = True
        self._pause_or_resume()
        # After what waits in the loop: a busy link must not hold up the users of this node.
        asyncio.get_running_loop().call_soon(self._read_on)

    def _read_on(self) -> None:
        self._is_reading_on = False
        self.end.read_on()
        self._pause_or_resume()

    def _pause_or_resume(self) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        waits = self._is_reading_on or (self._is_full and not self._reads_always)
        (self._transport.pause_reading if waits else self._transport.resume_reading)()

    def end_link(self, why: str, level: int = logging.WARNING) -> None:
        _log.log(level, "The link with node %s ends: %s.", self.end.other or "unknown", why)
        if self._transport is not None:
            self._transport.abort()
        # At once: nothing more is to be asked or answered by it.
        self.end.lose_link()

    # --- silence -------------------------------------------------------------------------------------

    def _watch_silence(self) -> None:
        now = self._clock.seconds()
        if now - self._ticked > PING_SECONDS + _LATE_SECONDS:
            self._heard = now
        self._ticked = now
        silent = now - self._heard
        self._alarm = self._clock.call_later(PING_SECONDS, self._watch_silence)
        if self._find_key() != self._key:
            # A node that has only the former one must not stay.
            self.end_link("the key of the cluster has changed")
        elif silent >= SILENT_SECONDS:
            self.end_link(f"it was silent for {silent:.0f} seconds")
        elif silent >= PING_SECONDS:
            self.end.send_ping()


async def open_link_port(
    settings: ClusterSettings, neighbours: Neighbours, me: NodeId, key: Callable[[], ServerKey], clock: Clock
) -> "LinkPort | None":
    """Open the port for links, and tell the other nodes where it is; None for a node that serves alone.

    Raises JournalError.
    """
    if not settings.link:
        return None
    host, port = parse_listen(settings.link, "cluster.link", LINK_PORT)
    opened = LinkPort(me, key, neighbours.find_link, clock)
    try:
        await opened.open_port(host, port)
    except OSError as error:
        raise JournalError(f"The port for links, {settings.link}, cannot be opened: {error.strerror}.") from error
    neighbours.link = write_peer(host, opened.port)
    return opened


class LinkPort:
    """Accepts links of other nodes, and opens links to them.

    Args:
        me: This node.
        key: Returns the key of the cluster; once it is another one, all links end, and are opened again when needed.
        find_address: Returns HOST:PORT of another node's port for links; empty for unknown.
        clock: The clock.

    Attributes:
        links: The links of this node.
        port: The bound port; 0 while it is closed.
    """

    def __init__(
        self, me: NodeId, key: Callable[[], ServerKey], find_address: Callable[[NodeId], str], clock: Clock
    ) -> None:
        self._me = me
        self._key = key
        self._find_address = find_address
        self._clock = clock
        self.links = Links(me, self, clock.seconds)
        self.port = 0
        self._contexts: tuple[bytes, LinkContexts] | None = None
        self._connections: set[LinkConnection] = set()
        self._listening: list[socket.socket] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._unproved = 0

    def renew_links(self) -> None:
        """End all links; from now on there are others, which take nobody in until a server begins to serve."""
        self._end_all("this node serves no more")
        self.links = Links(self._me, self, self._clock.seconds)

    async def open_port(self, host: str = "", port: int = 0) -> None:
        """Bind, and accept links from now on; `port` 0 binds any free one. Raises OSError."""
        found = socket.create_server((host, port), reuse_port=False)
        found.setblocking(False)
        self._listening.append(found)
        self.port = found.getsockname()[1]
        self._start_task(self._accept_all(found))

    async def close(self) -> None:
        """End all links, and accept no more."""
        for sock in self._listening:
            sock.close()
        self._listening.clear()
        self.port = 0
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._end_all("this node ends")

    def _end_all(self, why: str) -> None:
        for connection in tuple(self._connections):
            connection.end_link(why, logging.INFO)

    def _start_task(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _find_contexts(self) -> LinkContexts:
        key = self._key()
        if self._contexts is None or self._contexts[0] != key.public:
            self._contexts = key.public, link_contexts(key)
        return self._contexts[1]

    def _make_connection(self, *, reads_always: bool) -> LinkConnection:
        connection = LinkConnection(
            self._clock, self._connections.discard, lambda: self._key().public, reads_always=reads_always
        )
        self._connections.add(connection)
        return connection

    # --- links of other nodes ------------------------------------------------------------------------

    async def _accept_all(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                sock, _ = await loop.sock_accept(listening)
            except OSError as error:  # no open file is left
                _log.warning("No link can be accepted: %s", error)
                await self._clock.sleep(_LATE_SECONDS)
                continue
            if self._unproved >= MOST_UNPROVED or self.links.open_visit is None:
                sock.close()
                continue
            self._unproved += 1
            self._start_task(self._accept_one(sock))

    async def _accept_one(self, sock: socket.socket) -> None:
        connection = self._make_connection(reads_always=False)
        end = self.links.accept_link(connection)
        assert end is not None, "this node serves"
        connection.end = end
        try:
            async with self._clock.limit(CONNECT_SECONDS):
                await asyncio.get_running_loop().connect_accepted_socket(
                    lambda: connection, sock, ssl=self._find_contexts().accepting
                )
        except OSError as error:
            # The other end has not proved the key.
            _log.info("A connection to the port for links was refused: %s", error)
            sock.close()
            connection.give_up()
        finally:
            self._unproved -= 1

    # --- links to other nodes ------------------------------------------------------------------------

    def dial_node(self, node: NodeId, make_end: Callable[[Carrier], AskingEnd]) -> AskingEnd:
        connection = self._make_connection(reads_always=True)
        connection.end = end = make_end(connection)
        self._start_task(self._connect_node(node, connection))
        return end

    async def _connect_node(self, node: NodeId, connection: LinkConnection) -> None:
        address = self._find_address(node)
        host, _, port = address.rpartition(":")
        try:
            if not host:
                raise OSError("its port for links is not known")
            async with self._clock.limit(CONNECT_SECONDS):
                await asyncio.get_running_loop().create_connection(
                    lambda: connection,
                    host.strip("[]"),
                    int(port),
                    ssl=self._find_contexts().dialing,
                    server_hostname="",
                )
        except OSError as error:
            _log.warning("Node %s cannot be reached at %s: %s", node, address or "any address", error or "no answer")
            connection.give_up()
