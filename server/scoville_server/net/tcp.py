"""Listeners: a bound port, a Unix socket for doors, and the connections that came through them.

A configured proxy in TCP mode says in its PROXY header where the user is. Without it all users would be counted, and
banned, as one; and behind a proxy on this machine each would pass for a user of this machine, whose plain text the
server accepts.
"""

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from scoville_runtime.clock import Alarm, Clock
from scoville_server.limits.live import Adjustable, Live, as_live
from scoville_server.net.accepting import BACKLOG, Arrivals, Beginnings, Listener, make_room
from scoville_server.net.admission import Admission
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.doors import unix_socket
from scoville_server.net.doors.introductions import Introductions, address_of
from scoville_server.net.doors.settings import DoorSettings
from scoville_server.net.driver.driver import ConnectionDriver
from scoville_server.net.driver.handing import HandedConnection
from scoville_server.net.driver.origin import Newcomer
from scoville_server.net.listening import ListeningSockets
from scoville_server.net.peer import Service
from scoville_server.net.read_scheduler import DOORS, ReadScheduler
from scoville_server.net.tls.first_byte import FirstByte
from scoville_server.net.tls.layer import Tls
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.networks import Proxies, host_of, is_loopback, parse_peer, write_peer
from scoville_shared.protocol.messages import ByeNotice, HelloRequest, HostedUser
from scoville_shared.proxy_header import NO_HEADER, BadHeaderError, ProxyHeader, read_header

if TYPE_CHECKING:  # a server that is alone does without
    from scoville_server.net.relay.following import RelayedTransport

_logger = logging.getLogger(__name__)


class ProxyHeaders:
    """State that the connections of a port share: the headers that have not come yet."""

    def __init__(self, limits: Live[ConnectionLimits], clock: Clock) -> None:
        self.limits = limits
        self.clock = clock
        self.waiting: set[asyncio.Transport] = set()


class ProxiedConnection(asyncio.Protocol):
    """Waits for the header of a proxy, and hands the transport on; that of any other peer it hands on at once."""

    __slots__ = ("_beginning", "_deadline", "_early", "_headers", "_peer", "_proxies", "_transport")

    def __init__(self, headers: ProxyHeaders, proxies: Proxies, beginning: FirstByte, peer: str) -> None:
        self._proxies = proxies
        self._peer = peer
        self._headers = headers
        self._beginning = beginning
        self._early = b""
        self._deadline: Alarm | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Find out whether the peer is a proxy."""
        made = self._transport = cast("asyncio.Transport", transport)
        headers = self._headers
        # Only a configured proxy is believed: any other peer could claim any address by a header.
        if parse_peer(host_of(self._peer)) not in self._proxies:
            made.set_protocol(self._beginning)
            self._beginning.connection_made(made)
        # Bounded here, because admission counts connections only when their header has come.
        elif len(headers.waiting) >= headers.limits.value.total:
            made.abort()
        else:
            headers.waiting.add(made)
            self._deadline = headers.clock.call_later(headers.limits.value.handshake_seconds, self._end_late)

    def data_received(self, data: bytes) -> None:
        """Read the header; what follows it belongs to the user."""
        if self._deadline is None:
            return  # the connection ends
        self._early += data
        try:
            header = read_header(self._early)
        except BadHeaderError as error:
            self._refuse_proxy(str(error))
            return
        if header is NO_HEADER:
            self._refuse_proxy("no PROXY header")
        elif header is not None:
            self._begin_connection(header)

    def connection_lost(self, _reason: Exception | None) -> None:
        """Release the connection, which has never begun."""
        self._end_wait()

    def _begin_connection(self, header: ProxyHeader) -> None:
        self._end_wait()
        address = self._peer if header.address is None else write_peer(str(header.address), header.port)
        beginning, transport, rest = self._beginning, self._transport, self._early[header.size :]
        self._early = b""
        transport.set_protocol(beginning)
        beginning.begin_proxied(transport, address)
        if rest:
            beginning.data_received(rest)

    def _refuse_proxy(self, why: str) -> None:
        _logger.warning(
            "The proxy %s began a connection without a valid header (%s); configure it to send one, as HAProxy does "
            "with send-proxy-v2, or remove it from the setting proxies.",
            self._peer,
            why,
        )
        self._end_wait()
        self._transport.close()

    def _end_late(self) -> None:
        _logger.info("The proxy %s sent no header in time", self._peer)
        self._end_wait()
        self._transport.abort()

    def _end_wait(self) -> None:
        self._headers.waiting.discard(self._transport)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


Knows = Callable[[HelloRequest], bool]
"""Returns whether a hello is that of a user whom the server has known for a while."""

_KEEPALIVE = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 30_000}
"""TCP keepalive: seconds of silence before the first probe and between probes, unanswered probes, and milliseconds
within which sent data must be acknowledged. A dead peer is noticed within half a minute."""


class Security(NamedTuple):
    """How a port protects its connections.

    Attributes:
        make_context: Makes the TLS settings, for the first connection with TLS; None for no TLS. Loading them takes
            longer than all else at a restart for which users wait.
        plain_text: Whether other machines may do without.
        local_plain_text: Whether programs of this machine may, whatever others may.
        proxies: Peers whose connections begin with a PROXY header, which is believed.
    """

    make_context: Callable[[], ssl.SSLContext] | None = None
    plain_text: bool = False
    local_plain_text: bool = True
    proxies: Proxies | None = None


UNPROTECTED = Security(plain_text=True)


class Doors(NamedTuple):
    """How a server takes doors: its settings for them, and its credential, empty if it takes none."""

    settings: Adjustable[DoorSettings] = DoorSettings()
    credential: str = ""


_NO_DOORS: Final = Doors()
_BYE: Final = ByeNotice(code=Code.SHUTTING_DOWN, message="The server is shutting down.")
_DOORS_SOCKET: Final = "doors"
_ON_SOCKET: Final = DOORS + ":{}"
"""The address of a connection on the Unix socket, until its door says for whom it is."""
_numbers = count(1)


class TcpServer:
    """An open port, a Unix socket for doors, and the connections that came through them; either may be missing."""

    def __init__(
        self,
        service: Service,
        knows: Knows,
        scheduler: ReadScheduler,
        security: Adjustable[Security],
        doors: Doors = _NO_DOORS,
        sockets: ListeningSockets | None = None,
    ) -> None:
        self._service = service
        self._sockets = sockets or ListeningSockets()
        self._scheduler = scheduler
        self._limits = scheduler.live_limits
        self._knows = knows
        self._security = as_live(security)
        make_context = self._security.value.make_context
        self._tls = None if make_context is None else Tls(make_context, scheduler)
        self._proxied = ProxyHeaders(self._limits, scheduler.clock)
        # Again at each reload: more connections need more open files.
        most = self._limits.select(lambda limits: make_room(limits.total))
        self._admission = Admission(self._limits, most, doors.settings)
        self._introductions = Introductions(doors.settings, doors.credential, scheduler.now)
        self._users = Beginnings(self._make_protocol, self._note_if_gone)
        self._doors = Beginnings(lambda *_: self._make_door_protocol(), self._note_if_gone)
        self._arrivals = Arrivals(scheduler, self._users.begin_connection, self._note_if_gone)
        self._listeners: list[Listener] = []
        self.port = 0
        """The bound port, 0 for none."""
        self._socket: Path | None = None
        self._bye: ByeNotice | None = None
        self._all_gone = asyncio.Event()

    async def open_port(self, host: str, port: int) -> None:
        """Bind and listen; `port` 0 binds any free one, an empty `host` every address. Raises OSError."""
        for sock in await self._sockets.open_port(host, port):
            self._listeners.append(self._make_listener(sock, self._accept_connection, lambda: self._arrivals.backlog))
        self.port = self._listeners[0].port

    async def open_socket(self, path: Path, group: int | None = None) -> None:
        """Listen for doors on a Unix socket, which a group of users may open as well. Raises SocketError."""
        bound = self._sockets.take_path(_DOORS_SOCKET, path) or unix_socket.bind_socket(path)
        self._listeners.append(self._make_listener(bound, lambda sock, _: self._doors.begin_connection(sock)))
        self._sockets.keep_path(_DOORS_SOCKET, path, bound)
        self._socket = path
        unix_socket.share_with_group(path, group)

    def _make_listener(
        self,
        sock: socket.socket,
        add: Callable[[socket.socket, tuple[str, int]], None],
        backlog: Callable[[], int] = lambda: BACKLOG,
    ) -> Listener:
        return Listener(sock, add, self._limits.value, self._scheduler.clock, backlog)

    def begin_accepting(self) -> None:
        """Accept connections on everything that is open."""
        for listener in self._listeners:
            listener.begin_accepting()

    def hold_connections(self) -> None:
        """Accept nothing until `begin_accepting`; the system holds who comes."""
        for listener in self._listeners:
            listener.hold_connections()

    def renew_tls(self) -> None:
        """Show another key to new connections."""
        if self._tls is not None:
            self._tls.renew_context()

    @property
    def connections(self) -> int:
        """The number of open connections."""
        return len(self._admission)

    def stop_listening(self) -> None:
        """Accept no more connections: from now on they wait, where a successor inherits the sockets."""
        listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener.close()

    def refuse_more(self, bye: ByeNotice = _BYE) -> None:
        """Refuse new connections with a goodbye; open ones stay."""
        self._bye = bye

    async def wait_until_left(self, seconds: float) -> None:
        """Wait until all connections have ended by themselves, for so many seconds at most."""
        if seconds and not self._is_deserted:
            await self._wait_until_gone(seconds)

    @property
    def _is_deserted(self) -> bool:
        """Whether there is no connection, not even one that has sent nothing yet."""
        return not (self._admission or self._arrivals.waiting or self._users or self._doors)

    def _note_if_gone(self) -> None:
        if self._is_deserted:
            self._all_gone.set()

    async def _wait_until_gone(self, seconds: float) -> None:
        self._all_gone.clear()
        gone = asyncio.ensure_future(self._all_gone.wait())
        await self._scheduler.clock.wait(gone, seconds=seconds)
        gone.cancel()

    async def close(self, seconds: float = 0.0, bye: ByeNotice = _BYE, *, goes_on: bool = False) -> None:
        """Stop listening, close all connections with a goodbye, and wait until they are gone.

        Args:
            seconds: After how long connections are cut that have not read the goodbye; 0 leaves that to their own
                deadline.
            bye: The goodbye.
            goes_on: Whether a successor inherits the sockets.
        """
        self.stop_listening()
        self.refuse_more(bye)
        self._arrivals.close()
        if self._socket is not None and not goes_on and not self._sockets.is_stored(_DOORS_SOCKET, self._socket):
            unix_socket.remove_socket(self._socket)
        await self._users.close()
        await self._doors.close()
        # Not admitted yet, because their PROXY header is missing: the loop below does not know them.
        for waiting in [*self._proxied.waiting]:
            waiting.abort()
        for connection in self._admission.connections:
            connection.close(bye)
        if self._admission:
            if seconds:
                await self._wait_until_gone(seconds)
            else:
                self._all_gone.clear()
                await self._all_gone.wait()
            for connection in self._admission.connections:
                connection.abort()
            await self._all_gone.wait()

    async def begin_handed(
        self, sock: socket.socket, address: str, door: HostedUser | None
    ) -> tuple[ConnectionDriver, HandedConnection] | None:
        """Begin a connection that a former process has handed over, but read nothing from it yet.

        Args:
            sock: Its socket.
            address: The user's "host:port" as a proxy has named it, empty for none.
            door: Whom its door has introduced.

        Returns None for a connection that may not stay, or is lost.
        """
        try:
            origin = SocketOrigin(self) if sock.family is socket.AF_UNIX else PortOrigin(self, _peer_of(sock))
        except OSError:  # its client is gone
            sock.close()
            return None
        driver = ConnectionDriver(self._service, self._limits.value, self._scheduler, origin)
        driver.use_proxied_address(address)
        handed = HandedConnection(driver)
        sock.setblocking(False)
        try:
            await asyncio.get_running_loop().connect_accepted_socket(lambda: handed, sock)
        except OSError:  # its client is gone
            sock.close()
            return None
        return self._admit_handed(driver, handed, door)

    def begin_relayed(
        self, transport: "RelayedTransport", origin: "RelayedOrigin", door: HostedUser | None
    ) -> tuple[ConnectionDriver, HandedConnection] | None:
        """Begin a connection whose client is connected to a node that leaves, but read nothing from it yet.

        Returns None for a connection that may not stay, or is lost.
        """
        if transport.is_closing():
            return None
        driver = ConnectionDriver(self._service, self._limits.value, self._scheduler, origin)
        handed = HandedConnection(driver)
        transport.set_protocol(handed)
        handed.connection_made(transport)
        return self._admit_handed(driver, handed, door)

    def _admit_handed(
        self, driver: ConnectionDriver, handed: HandedConnection, door: HostedUser | None
    ) -> tuple[ConnectionDriver, HandedConnection] | None:
        if door is not None and not driver.closing:
            driver.door = door
            driver.move_to_address(address_of(door))
            self._admission.admit_introduced(driver)
        # The former process has greeted its user.
        self._admission.may_greet(driver, known=True)
        return None if driver.closing else (driver, handed)

    def _accept_connection(self, sock: socket.socket, peer: tuple[str, int]) -> None:
        """Take a connection from the port; one from a proxy begins at once: its PROXY header names the user."""
        proxies = self._security.value.proxies
        if proxies is not None and parse_peer(peer[0]) in proxies:
            self._users.begin_connection(sock, address=write_peer(*peer[:2]))
        else:
            self._arrivals.add_connection(sock, write_peer(*peer[:2]))

    def _make_door_protocol(self) -> ConnectionDriver:
        return ConnectionDriver(self._service, self._limits.value, self._scheduler, SocketOrigin(self))

    def _make_protocol(self, early: bytes, peer: str) -> FirstByte | ProxiedConnection:
        driver = ConnectionDriver(self._service, self._limits.value, self._scheduler, PortOrigin(self, peer))
        security = self._security.value
        plain, local = security.plain_text, security.local_plain_text
        beginning = FirstByte(driver, self._tls, plain_text=plain, local_plain_text=local, early=early)
        if security.proxies is None:
            return beginning
        return ProxiedConnection(self._proxied, security.proxies, beginning, peer)

    # --- what the origins of its connections need -----------------------------------------------------------

    def add_connection(self, connection: Newcomer) -> None:
        """Register a connection; one that is too many or too late is closed with a goodbye."""
        self._admission.admit_connection(connection)
        self._refuse_if_closing(connection)

    def add_door_connection(self, connection: Newcomer) -> None:
        """Register a connection of a door that has not named its user yet."""
        self._admission.add_from_door(connection)
        self._refuse_if_closing(connection)

    def _refuse_if_closing(self, connection: Newcomer) -> None:
        if self._bye is not None:
            connection.close(self._bye)

    def admit_hello(self, connection: Newcomer, hello: HelloRequest) -> None:
        """Count a door's connection under its user's address, then let those stay that may. Raises ScovilleError."""
        if hello.door is not None:
            connection.door = self._introductions.check_introduction(
                hello.door, connection.address, protected=connection.is_protected, local=connection.is_from_here
            )
            connection.move_to_address(address_of(connection.door))
            if not self._admission.admit_introduced(connection):
                raise ScovilleError(Code.BUSY, "There are too many connections from this address; try again later.")
        if not self._admission.may_greet(connection, known=self._knows(hello)):
            raise ScovilleError(Code.BUSY, "There are too many connections from your address; try again later.")

    def remove_connection(self, connection: Newcomer) -> None:
        """Unregister a connection."""
        self._admission.remove_connection(connection)
        self._note_if_gone()


class PortOrigin:
    """The origin of one connection through the port, from a "host:port" that may be a proxy's or a door's."""

    def __init__(self, server: TcpServer, peer: str) -> None:
        self._server = server
        self._peer = peer
        self.proxied_address = ""

    def find_address(self, transport: asyncio.BaseTransport) -> str:  # noqa: ARG002 - it may not know any more
        """Return the user's "host:port", which a proxy knows better than the system."""
        return self.proxied_address or self._peer

    def is_from_here(self, transport: asyncio.BaseTransport) -> bool:  # noqa: ARG002 - as above
        """Return whether the other end is on this machine; a proxy says nothing of that."""
        return not self.proxied_address and is_loopback(self._peer)

    def is_protected(self, *, by_tls: bool) -> bool:
        return by_tls

    def add_connection(self, connection: Newcomer, transport: asyncio.BaseTransport) -> None:
        sock = transport.get_extra_info("socket")
        with suppress(OSError):  # some systems refuse it once the peer has reset the connection
            # A move is one small packet, which Nagle's algorithm would keep until the one before is acknowledged.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            _watch_over(sock)
        self._server.add_connection(connection)

    def admit_hello(self, connection: Newcomer, hello: HelloRequest) -> None:
        self._server.admit_hello(connection, hello)

    def remove_connection(self, connection: Newcomer) -> None:
        self._server.remove_connection(connection)


class RelayedOrigin:
    """The origin of one connection to a node that leaves, which has told how it is protected.

    Args:
        server: The port of this node.
        address: The user's "host:port".
        secure: Whether nobody reads along between the user and that node.
        local: Whether the user is at the machine of that node.
    """

    proxied_address = ""

    def __init__(self, server: TcpServer, address: str, *, secure: bool, local: bool) -> None:
        self._server = server
        self._address = address
        self._secure, self._local = secure, local

    def find_address(self, transport: asyncio.BaseTransport) -> str:  # noqa: ARG002 - it knows only the other node
        return self._address

    def is_from_here(self, transport: asyncio.BaseTransport) -> bool:  # noqa: ARG002 - as above
        return self._local

    def is_protected(self, *, by_tls: bool) -> bool:  # noqa: ARG002 - the other node knows
        return self._secure

    def add_connection(self, connection: Newcomer, transport: asyncio.BaseTransport) -> None:  # noqa: ARG002
        self._server.add_connection(connection)

    def admit_hello(self, connection: Newcomer, hello: HelloRequest) -> None:
        self._server.admit_hello(connection, hello)

    def remove_connection(self, connection: Newcomer) -> None:
        self._server.remove_connection(connection)


class SocketOrigin:
    """The origin of one connection through the Unix socket, always from a door of this machine."""

    proxied_address = ""

    def __init__(self, server: TcpServer) -> None:
        self._server = server

    def find_address(self, transport: asyncio.BaseTransport) -> str:  # noqa: ARG002 - it has none
        """Number the connection: without an address it would count as one of this process."""
        return _ON_SOCKET.format(next(_numbers))

    def is_from_here(self, transport: asyncio.BaseTransport) -> bool:  # noqa: ARG002 - it does not leave the machine
        return True

    def is_protected(self, *, by_tls: bool) -> bool:  # noqa: ARG002 - as above
        return True

    def add_connection(self, connection: Newcomer, transport: asyncio.BaseTransport) -> None:  # noqa: ARG002
        self._server.add_door_connection(connection)

    def admit_hello(self, connection: Newcomer, hello: HelloRequest) -> None:
        if hello.door is None:
            raise ScovilleError(Code.DOOR_REFUSED, "This socket is for doors: send `door` in hello.")
        self._server.admit_hello(connection, hello)

    def remove_connection(self, connection: Newcomer) -> None:
        self._server.remove_connection(connection)


def _peer_of(sock: socket.socket) -> str:
    """Return the "host:port" of a socket's other end. Raises OSError if it has reset the connection."""
    host, port, *_ = sock.getpeername()
    return write_peer(host, port)


def _watch_over(sock: socket.socket) -> None:
    """Turn TCP keepalive on: without it, a player who has lost their network would look connected."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEPALIVE.items():
        option = getattr(socket, name, None)  # not every system has all of them
        if option is not None:
            sock.setsockopt(socket.IPPROTO_TCP, option, value)


async def open_server(
    service: Service,
    host: str,
    port: int | None,
    scheduler: ReadScheduler | None = None,
    knows: Knows = lambda _: False,
    security: Adjustable[Security] = UNPROTECTED,
    doors: Doors = _NO_DOORS,
    sockets: ListeningSockets | None = None,
    *,
    accepts: bool = True,
) -> TcpServer:
    """Open a port for a service, and the Unix socket of its doors, or inherit them. Raises OSError and SocketError.

    Unless it `accepts` connections, they wait for `begin_accepting`.
    Users whom the service `knows` come in also where their address has its share of the connections.
    """
    server = TcpServer(service, knows, scheduler or ReadScheduler(ConnectionLimits()), security, doors, sockets)
    try:
        if port is not None:
            await server.open_port(host, port)  # first: with a busy port the socket of the server there must stay
        door_settings = as_live(doors.settings).value
        if door_settings.socket is not None:
            await server.open_socket(door_settings.socket, unix_socket.find_group(door_settings.group))
    except (OSError, unix_socket.SocketError):
        await server.close()
        raise
    if accepts:
        server.begin_accepting()
    return server
