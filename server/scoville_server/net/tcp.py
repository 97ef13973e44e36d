"""Listening on a TCP port."""

import asyncio
import socket
from collections.abc import Callable

from scoville_server.net.driver import ConnectionDriver
from scoville_server.net.entrance import Entrance
from scoville_server.net.files import make_room
from scoville_server.net.limits import ConnectionLimits
from scoville_server.net.service import Service
from scoville_server.net.turns import TurnScheduler
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import ByeNotice, HelloRequest, Params

Knows = Callable[[HelloRequest], bool]
"""Tells whether a hello is that of a user who has been known for a while."""

_KEEPALIVE = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 30_000}
"""Silence before the first question and between two (seconds), how many stay unanswered, and how long what was sent
may wait to be confirmed (milliseconds): half a minute in all."""


class TcpServer:
    """A port that is open, and the connections that came through it."""

    def __init__(self, service: Service, limits: ConnectionLimits, knows: Knows, scheduler: TurnScheduler) -> None:
        self._service = service
        self._scheduler = scheduler
        self._limits = limits
        self._knows = knows
        self._entrance = Entrance(limits, make_room(limits.total))
        self._bye: ByeNotice | None = None
        self._all_gone = asyncio.Event()

    async def open(self, host: str, port: int) -> None:
        """Bind and listen; `port` 0 binds a free one, no `host` every address. Raises OSError when it can't be had."""
        loop = asyncio.get_running_loop()
        if host:
            self._server = await loop.create_server(self._welcome, host, port)
        else:
            self._server = await loop.create_server(self._welcome, sock=_everywhere(port))

    @property
    def port(self) -> int:
        """The port that was bound."""
        bound: int = self._server.sockets[0].getsockname()[1]
        return bound

    @property
    def connections(self) -> int:
        """How many connections are open."""
        return len(self._entrance)

    def refuse_more(self) -> None:
        """Say goodbye to new connections at once; those that are open stay."""
        self._bye = ByeNotice(code=Code.SHUTTING_DOWN, message="The server is shutting down.")

    async def close(self, seconds: float = 0.0) -> None:
        """Listen no more, say goodbye to everybody, and wait until they are gone.

        Connections that have not read the goodbye within so many seconds are cut; 0 leaves that to their own deadline.
        """
        self._server.close()
        self.refuse_more()
        for connection in self._entrance.all:
            connection.close(self._bye)
        if self._entrance:
            self._all_gone.clear()
            if seconds:
                gone = asyncio.ensure_future(self._all_gone.wait())
                await self._scheduler.clock.wait(gone, seconds=seconds)
                gone.cancel()
            else:
                await self._all_gone.wait()
            for connection in self._entrance.all:
                connection.abort()
            await self._all_gone.wait()
        await self._server.wait_closed()

    def _welcome(self) -> "TcpProtocol":
        return TcpProtocol(self._service, self._limits, self._scheduler, self)

    def came(self, protocol: "TcpProtocol") -> None:
        """Count a connection in; one that is too many or too late gets a goodbye and is closed."""
        self._entrance.came(protocol)
        if self._bye is not None:
            protocol.close(self._bye)

    def greets(self, protocol: "TcpProtocol", hello: HelloRequest) -> bool:
        """Decide whether a connection may say hello; one that may not is closed."""
        return self._entrance.greets(protocol, known=self._knows(hello))

    def went(self, protocol: "TcpProtocol") -> None:
        """Count a connection out."""
        self._entrance.went(protocol)
        if not self._entrance:
            self._all_gone.set()


class TcpProtocol(ConnectionDriver):
    """A connection that a TcpServer counts."""

    def __init__(self, service: Service, limits: ConnectionLimits, scheduler: TurnScheduler, server: TcpServer) -> None:
        super().__init__(service, limits, scheduler)
        self._server = server

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the visit on a line without delay, on which the system notices a peer that is gone."""
        line = transport.get_extra_info("socket")
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _watch_over(line)
        super().connection_made(transport)
        self._server.came(self)

    def _admit(self, params: Params) -> None:
        """Let pass what may be asked now, and the hello of a connection that may stay."""
        super()._admit(params)
        if isinstance(params, HelloRequest) and not self._server.greets(self, params):
            raise ScovilleError(Code.BUSY, "Too many have come from your address; try again later.")

    def connection_lost(self, reason: Exception | None) -> None:
        """End the visit, and count it out whatever became of it: else the server would wait for it to the end."""
        try:
            super().connection_lost(reason)
        finally:
            self._server.went(self)


def _watch_over(line: socket.socket) -> None:
    """Let the system ask whether a silent peer still lives: else whoever lost their network would seem to sit there."""
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEPALIVE.items():
        option = getattr(socket, name, None)  # not every system knows all of them
        if option is not None:
            line.setsockopt(socket.IPPROTO_TCP, option, value)


def _everywhere(port: int) -> socket.socket:
    """Bind every address of both families by one socket: two would get two different free ports."""
    if socket.has_dualstack_ipv6():
        return socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)
    return socket.create_server(("", port))


async def listen(
    service: Service,
    host: str,
    port: int,
    limits: ConnectionLimits | None = None,
    knows: Knows = lambda _: False,
    scheduler: TurnScheduler | None = None,
) -> TcpServer:
    """Open a port for a service; raises OSError when it can't be had.

    Users whom the service `knows` come in also where their address has its share of the connections.
    """
    limits = limits or ConnectionLimits()
    server = TcpServer(service, limits, knows, scheduler or TurnScheduler(limits))
    await server.open(host, port)
    return server
