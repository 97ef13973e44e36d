"""The users' port of a waiting node: users wait there for the node that takes over, this one or another."""

from collections.abc import Callable
from typing import Final

from scoville_runtime.clock import Clock
from scoville_server.errors import make_goodbye, server_moved
from scoville_server.identity import ServerKey
from scoville_server.net.listening import ListeningSockets
from scoville_server.net.read_scheduler import ReadScheduler
from scoville_server.net.tcp import Doors, Security, TcpServer, open_server
from scoville_server.net.tls.context import server_context
from scoville_server.nodes.standby import WaitingService
from scoville_server.settings.model import Settings, proxies_of

ANSWER_SECONDS: Final = 1.0
"""How long it may take to tell users who have waited here where to go, which a goodbye does not: hundreds may have come
just before."""
GOODBYE_SECONDS: Final = 0.1
"""How long users have to read why their connection ends."""


class WaitingPort:
    """The port, as a `KeyedPort`; it reads the key for each connection.

    Args:
        settings: The settings of the node, which may name no port.
        service: Answers the users who come.
        find_key: Returns the key that the node shows.
        clock: The clock.
    """

    def __init__(
        self, settings: Settings, service: WaitingService, find_key: Callable[[], ServerKey], clock: Clock
    ) -> None:
        self._settings = settings
        self._service = service
        self._find_key = find_key
        self._clock = clock
        self._server: TcpServer | None = None
        self._left: TcpServer | None = None
        """The former port, with users who still wait there."""
        self._is_accepting = self._is_held = self._holds_users = False
        """Whether it accepts connections, and why not: its key changes, or this node may take over."""

    @property
    def is_open(self) -> bool:
        """Whether it listens."""
        return self._server is not None

    @property
    def number(self) -> int:
        """The number of the port, 0 for none."""
        return 0 if self._server is None else self._server.port

    async def open(self, doors: Doors, sockets: ListeningSockets, *, accepts: bool = True) -> None:
        """Open it, if the settings name one. Raises OSError."""
        settings = self._settings
        if settings.port is None:
            return
        security = Security(
            lambda: server_context(self._find_key()),
            settings.plain_text,
            settings.local_plain_text,
            proxies_of(settings),
        )
        self._server = await open_server(
            self._service,
            settings.host,
            settings.port,
            ReadScheduler(settings.connections, self._clock),
            security=security,
            doors=doors,
            sockets=sockets,
            accepts=False,
        )
        self._is_accepting, self._is_held, self._holds_users = False, not accepts, False
        self._accept_or_hold()

    def hold_connections(self) -> None:
        self._is_held = True
        self._accept_or_hold()

    def begin_accepting(self) -> None:
        self._is_held = False
        self._accept_or_hold()

    def hold_users(self, holds: bool) -> None:
        """Let users wait in front of the port, or let them in: for the server of this node, if it is the next one."""
        self._holds_users = holds
        self._accept_or_hold()

    def _accept_or_hold(self) -> None:
        accepts = not (self._is_held or self._holds_users)
        if self._server is not None and accepts != self._is_accepting:
            self._is_accepting = accepts
            (self._server.begin_accepting if accepts else self._server.hold_connections)()

    def use_key(self, key: ServerKey) -> None:  # noqa: ARG002 - it is read for each connection
        if self._server is not None:
            self._server.renew_tls()

    async def pass_on(self) -> None:
        """Give the port to the server of this node, which inherits it; users who are here go on waiting.

        If they were sent away before that server accepts users, they would only go to the other nodes and return.
        """
        await self.send_away()
        self._left, self._server = self._server, None
        if self._left is not None:
            self._left.stop_listening()

    async def send_away(self, after_seconds: float = 0.0) -> None:
        """Close the connections of users who have waited here, and are not answered and gone in so many seconds."""
        if self._left is not None:
            await self._left.wait_until_left(after_seconds)
        left, self._left = self._left, None
        if left is not None:
            await left.close(GOODBYE_SECONDS, make_goodbye(server_moved()), goes_on=True)
