"""The server: the house, and the port that leads into it."""

import asyncio
import socket

from scoville_server.app.guest import Guest
from scoville_server.app.house import House
from scoville_server.config import Settings
from scoville_server.journal.base import Journal
from scoville_server.journal.memory import MemoryJournal
from scoville_server.net.protocol import WireProtocol
from scoville_server.net.service import Peer, Visit
from scoville_server.shelf import Shelf
from scoville_shared.errors import Code
from scoville_shared.wire.messages import ByeNotice

_PEPPERED = "dicht_dran"
_BYE = ByeNotice(code=Code.SHUTTING_DOWN, message="The server is shutting down.")
_FULL = ByeNotice(code=Code.TOO_MANY, message="This server has no line free; come back in a while.")


class Server:
    """A whole server. It is a `Service`: every new connection becomes a visit."""

    def __init__(self, settings: Settings, shelf: Shelf | None = None, journal: Journal | None = None) -> None:
        self.settings = settings
        self.port = 0
        self._house = House(settings, shelf or _shelf(settings), journal or MemoryJournal())
        self._guests: dict[Guest, Peer] = {}
        self._listener: asyncio.Server | None = None

    async def start(self) -> None:
        """Listen, if the settings name a port; `port` is the bound one. Raises OSError when it cannot be bound."""
        if self.settings.port is None:
            return
        loop = asyncio.get_running_loop()
        sock = _bound(self.settings.host, self.settings.port)
        self._listener = await loop.create_server(self.protocol, sock=sock)
        self.port = sock.getsockname()[1]

    def protocol(self) -> asyncio.Protocol:
        """Make the server's end of one more connection."""
        return WireProtocol(self)

    def visit(self, peer: Peer) -> Visit:
        """Receive a new connection; one too many is told so and closed."""
        guest = Guest(self._house, peer, self._left)
        self._guests[guest] = peer
        if len(self._guests) > self.settings.connections:
            peer.close(_FULL)
        return guest

    async def close(self) -> None:
        """Take no more connections, finish what has been asked, say goodbye and end."""
        if self._listener is not None:
            self._listener.close()
        await self._house.close()
        for peer in tuple(self._guests.values()):
            peer.close(_BYE)

    def _left(self, guest: Guest) -> None:
        self._guests.pop(guest, None)


def _shelf(settings: Settings) -> Shelf:
    if settings.peppers is None:
        return Shelf()
    return Shelf({_PEPPERED: {"peppers": [*settings.peppers]}})


def _bound(host: str, port: int) -> socket.socket:
    """Bind one socket: for all addresses of both families where no host is named."""
    if not host:
        if socket.has_dualstack_ipv6():
            return socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)
        return socket.create_server(("", port))
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    return socket.create_server(address[:2], family=family)
