"""Listeners: a bound port, a Unix socket for doors, and the connections that came through them."""

import asyncio
import socket
import ssl
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from scoville_server.net.accepting import BACKLOG, Arrivals, Beginnings, Listener, bind_port, make_room
from scoville_server.net.admission import Admission
from scoville_server.net.doors import unix_socket
from scoville_server.net.doors.introductions import Introductions, address_of
from scoville_server.net.doors.settings import DoorSettings
from scoville_server.net.driver.driver import ConnectionDriver
from scoville_server.net.limits import ConnectionLimits
from scoville_server.net.proxied import ProxiedConnection, ProxyHeaders
from scoville_server.net.read_scheduler import Network, ReadScheduler
from scoville_server.net.service import Service
from scoville_server.net.tls.first_byte import FirstByte
from scoville_server.net.tls.layer import Tls, TlsLayer
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.networks import Proxies, is_loopback, parse_peer
from scoville_shared.protocol.messages import ByeNotice, HelloRequest, HostedUser, Params

Knows = Callable[[HelloRequest], bool]
"""Returns whether a hello is that of a user whom the server has known for a while."""

_KEEPALIVE = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 30_000}
"""TCP keepalive: seconds of silence before the first probe and between probes, unanswered probes, and milliseconds
within which sent data must be acknowledged. A dead peer is noticed within half a minute."""


class Security(NamedTuple):
    """How a port protects its connections.

    Attributes:
        context: The TLS settings; None for none.
        plain_text: Whether other machines may do without.
        local_plain_text: Whether programs of this machine may, whatever others may.
        proxies: Peers whose connections begin with a PROXY header, which is believed.
    """

    context: ssl.SSLContext | None = None
    plain_text: bool = False
    local_plain_text: bool = True
    proxies: Proxies | None = None


UNPROTECTED = Security(plain_text=True)


class Doors(NamedTuple):
    """How a server takes doors: its settings for them, and its credential, empty if it takes none."""

    settings: DoorSettings = DoorSettings()
    credential: str = ""


_NO_DOORS: Final = Doors()
_ON_SOCKET: Final = "unix:{}"
"""The address of a connection on the Unix socket, until its door says for whom it is."""
_numbers = count(1)


class TcpServer:
    """An open port, a Unix socket for doors, and the connections that came through them; either may be missing."""

    def __init__(
        self,
        service: Service,
        limits: ConnectionLimits,
        knows: Knows,
        scheduler: ReadScheduler,
        security: Security,
        doors: Doors = _NO_DOORS,
    ) -> None:
        self._service = service
        self._scheduler = scheduler
        self._limits = limits
        self._knows = knows
        self._tls = None if security.context is None else Tls(security.context, scheduler)
        self._security = security
        self._proxied = None if security.proxies is None else ProxyHeaders(security.proxies, limits, scheduler.clock)
        self._admission = Admission(limits, make_room(limits.total), doors.settings)
        self._introductions = Introductions(doors.settings, doors.credential, scheduler.now)
        self._users, self._doors = Beginnings(self._make_protocol), Beginnings(lambda _: self._make_door_protocol())
        self._arrivals = Arrivals(scheduler, self._users.begin_connection)
        self._listeners: list[Listener] = []
        self.port = 0
        """The bound port, 0 for none."""
        self._socket: Path | None = None
        self._bye: ByeNotice | None = None
        self._all_gone = asyncio.Event()

    async def open_port(self, host: str, port: int) -> None:
        """Bind and listen; `port` 0 binds any free one, an empty `host` every address. Raises OSError."""
        for line in await bind_port(host, port):
            self._listeners.append(self._make_listener(line, self._accept_connection, lambda: self._arrivals.backlog))
        self.port = self._listeners[0].port

    async def open_socket(self, path: Path) -> None:
        """Listen for doors on a Unix socket. Raises SocketError."""
        self._listeners.append(
            self._make_listener(unix_socket.bind_socket(path), lambda line, _: self._doors.begin_connection(line))
        )
        self._socket = path

    def _make_listener(
        self,
        line: socket.socket,
        add: Callable[[socket.socket, tuple[str, int]], None],
        backlog: Callable[[], int] = lambda: BACKLOG,
    ) -> Listener:
        return Listener(line, add, self._limits, self._scheduler.clock, backlog)

    @property
    def connections(self) -> int:
        """The number of open connections."""
        return len(self._admission)

    def refuse_more(self) -> None:
        """Refuse new connections with a goodbye; open ones stay."""
        self._bye = ByeNotice(code=Code.SHUTTING_DOWN, message="The server is shutting down.")

    async def close(self, seconds: float = 0.0) -> None:
        """Stop listening, close all connections with a goodbye, and wait until they are gone.

        Connections that have not read the goodbye within so many seconds are cut; 0 leaves that to their own deadline.
        """
        for listener in self._listeners:
            listener.close()
        self._arrivals.close()
        if self._socket is not None:
            unix_socket.remove_socket(self._socket)
        self.refuse_more()
        await self._users.close()
        await self._doors.close()
        if self._proxied is not None:
            # Not admitted yet, because their PROXY header is missing: the loop below does not know them.
            for waiting in [*self._proxied.waiting]:
                waiting.abort()
        for connection in self._admission.all:
            connection.close(self._bye)
        if self._admission:
            self._all_gone.clear()
            if seconds:
                gone = asyncio.ensure_future(self._all_gone.wait())
                await self._scheduler.clock.wait(gone, seconds=seconds)
                gone.cancel()
            else:
                await self._all_gone.wait()
            for connection in self._admission.all:
                connection.abort()
            await self._all_gone.wait()

    def _accept_connection(self, line: socket.socket, peer: tuple[str, int]) -> None:
        """Take a connection from the port; one from a proxy begins at once: its PROXY header names the user."""
        proxies = self._security.proxies
        if proxies is not None and parse_peer(peer[0]) in proxies:
            self._users.begin_connection(line)
        else:
            self._arrivals.add_connection(line, f"{peer[0]}:{peer[1]}")

    def _make_door_protocol(self) -> "DoorProtocol":
        return DoorProtocol(self._service, self._limits, self._scheduler, self)

    def _make_protocol(self, early: bytes = b"") -> FirstByte | ProxiedConnection:
        driver = TcpProtocol(self._service, self._limits, self._scheduler, self)
        plain, local = self._security.plain_text, self._security.local_plain_text
        beginning = FirstByte(driver, self._tls, plain_text=plain, local_plain_text=local, early=early)
        return beginning if self._proxied is None else ProxiedConnection(self._proxied, beginning)

    def connection_opened(self, protocol: "TcpProtocol") -> None:
        """Register a connection; one that is too many or too late is closed with a goodbye."""
        if isinstance(protocol, DoorProtocol):
            self._admission.add_from_door(protocol)
        else:
            self._admission.admit_connection(protocol)
        if self._bye is not None:
            protocol.close(self._bye)

    def check_introduction(self, protocol: "TcpProtocol", user: HostedUser, *, protected: bool) -> HostedUser:
        """Check what a door says about a user, and return it without the credential. Raises ScovilleError."""
        return self._introductions.check_introduction(
            user, protocol.address, protected=protected, local=protocol.is_from_here
        )

    def admit_introduced(self, protocol: "TcpProtocol") -> bool:
        """Count a connection under its user's address; one that may not stay is closed."""
        return self._admission.admit_introduced(protocol)

    def may_greet(self, protocol: "TcpProtocol", hello: HelloRequest) -> bool:
        """Return whether a connection may say hello; one that may not is closed."""
        return self._admission.may_greet(protocol, known=self._knows(hello))

    def connection_closed(self, protocol: "TcpProtocol") -> None:
        """Unregister a connection."""
        self._admission.remove_connection(protocol)
        if not self._admission:
            self._all_gone.set()


class TcpProtocol(ConnectionDriver):
    """The driver of a connection over TCP, registered with its TcpServer."""

    def __init__(self, service: Service, limits: ConnectionLimits, scheduler: ReadScheduler, server: TcpServer) -> None:
        super().__init__(service, limits, scheduler)
        self._server = server
        self._layer: TlsLayer | None = None
        self._proxied_address = ""

    @property
    def secure(self) -> bool:
        """Whether the connection is protected all the way to the user."""
        return self._protected if self.door is None else self.door.secure

    @property
    def local(self) -> bool:
        return self.door is None and self.is_from_here

    @property
    def is_from_here(self) -> bool:
        """Whether the other end, which may be a door, is on this machine; a proxy says nothing of this one."""
        return not self._proxied_address and is_loopback(super()._address(self._transport))

    def use_proxied_address(self, address: str) -> None:
        """Take the "host:port" that a proxy has named for the connection's."""
        self._proxied_address = address

    def _address(self, transport: asyncio.BaseTransport) -> str:
        """Return the user's "host:port", which a proxy knows better than the system."""
        return self._proxied_address or super()._address(transport)

    @property
    def _protected(self) -> bool:
        """Whether nobody reads along between this server and the other end, which may be a door."""
        return self._layer is not None

    @property
    def held(self) -> int:
        """Bytes in the buffers of this connection, above and below TLS."""
        return super().held + (0 if self._layer is None else self._layer.held)

    @property
    def shared_meter(self) -> Network:
        """The meter of the connection's network."""
        return self._network

    def start_tls(self, layer: TlsLayer) -> None:
        """Send and receive through a TLS layer from now on."""
        self._transport = self._layer = layer

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._set_up(transport.get_extra_info("socket"))
        super().connection_made(transport)
        self._server.connection_opened(self)

    def _set_up(self, line: socket.socket) -> None:
        """Set no delay and keepalive."""
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _watch_over(line)

    def _introduce(self, user: HostedUser | None) -> None:
        """Count the connection under the address of the user whom a door hosts. Raises ScovilleError."""
        if user is not None:
            self.door = self._server.check_introduction(self, user, protected=self._protected)
            self._move_to_address(address_of(self.door))
            if not self._server.admit_introduced(self):
                raise ScovilleError(Code.BUSY, "There are too many connections from this address; try again later.")

    def _admit(self, params: Params) -> None:
        """Raise ScovilleError like the driver, and `busy` for the hello of a connection that may not stay."""
        super()._admit(params)
        if isinstance(params, HelloRequest) and not self._server.may_greet(self, params):
            raise ScovilleError(Code.BUSY, "There are too many connections from your address; try again later.")

    def connection_lost(self, reason: Exception | None) -> None:
        """Release the connection and unregister it, whatever fails: the server waits for all of them when it closes."""
        try:
            super().connection_lost(reason)
        finally:
            self._server.connection_closed(self)


class DoorProtocol(TcpProtocol):
    """The driver of a connection over the Unix socket for doors."""

    @property
    def _protected(self) -> bool:
        return True

    @property
    def is_from_here(self) -> bool:
        return True

    def _address(self, transport: asyncio.BaseTransport) -> str:  # noqa: ARG002 - it has none
        """Number the connection: without an address it would count as one of this process."""
        return _ON_SOCKET.format(next(_numbers))

    def _set_up(self, line: socket.socket) -> None:
        """Set nothing: the options are those of TCP."""

    def _introduce(self, user: HostedUser | None) -> None:
        """Take what the door says, as it must. Raises ScovilleError."""
        if user is None:
            raise ScovilleError(Code.DOOR_REFUSED, "This socket is for doors: send `door` in hello.")
        super()._introduce(user)


def _watch_over(line: socket.socket) -> None:
    """Turn TCP keepalive on: without it, a player who has lost their network would look connected."""
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEPALIVE.items():
        option = getattr(socket, name, None)  # not every system has all of them
        if option is not None:
            line.setsockopt(socket.IPPROTO_TCP, option, value)


async def open_server(
    service: Service,
    host: str,
    port: int | None,
    limits: ConnectionLimits | None = None,
    knows: Knows = lambda _: False,
    scheduler: ReadScheduler | None = None,
    security: Security = UNPROTECTED,
    doors: Doors = _NO_DOORS,
) -> TcpServer:
    """Open a port for a service, and the Unix socket of its doors. Raises OSError and SocketError.

    Users whom the service `knows` come in also where their address has its share of the connections.
    """
    limits = limits or ConnectionLimits()
    server = TcpServer(service, limits, knows, scheduler or ReadScheduler(limits), security, doors)
    try:
        if port is not None:
            await server.open_port(host, port)  # first: with a busy port the socket of the server there must stay
        if doors.settings.socket is not None:
            await server.open_socket(doors.settings.socket)
    except (OSError, unix_socket.SocketError):
        await server.close()
        raise
    return server
