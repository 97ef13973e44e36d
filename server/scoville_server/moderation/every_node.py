"""State that nodes share: announcements, uses of tokens, connected users, and the tables that they serve."""

from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol

from msgspec import msgpack

from scoville_server.accounts.doors.web_codes import WebCodes
from scoville_server.accounts.name_leases import NameLeases
from scoville_server.accounts.presence import Presence
from scoville_server.accounts.sessions import User
from scoville_server.accounts.tokens import Tokens, TokenUse
from scoville_server.accounts.users import Users
from scoville_server.errors import make_goodbye
from scoville_server.moderation.bans import Bans
from scoville_server.moderation.permits import ServerPermits
from scoville_server.net.flushes import FlushQueue, in_portions
from scoville_server.nodes.bus import Address, at_node
from scoville_server.nodes.nodes import Nodes
from scoville_server.tables.vacations import VacationService
from scoville_shared.ids import UserId
from scoville_shared.networks import host_of
from scoville_shared.protocol.messages import AdminUserInfo


class ConnectedUsers:
    """Lists the connected users, and closes the connections of those who are banned; `flushes` spreads the work."""

    def __init__(self, users: Users, permits: ServerPermits, flushes: FlushQueue) -> None:
        self._users = users
        self._permits = permits
        self._flushes = flushes

    async def list_users(self) -> list[AdminUserInfo]:
        """List them as an admin sees them, a portion in each turn of the loop."""
        here = in_portions(self._users.sessions.connected_users())
        # Some have gone while the portions before theirs were described.
        return [self._describe_user(user) async for user in here if user.is_here]

    def follow_bans(self, bans: Bans, vacations: VacationService) -> None:
        """Let each ban from the server close connections, and end vacations for which others would wait."""

        def is_banned(user: UserId) -> bool:
            found = self._users.sessions.find_user(user)
            return found is not None and self._permits.find_ban("server", found) is not None

        def act_on_ban() -> None:
            self.close_banned()
            vacations.end_vacations_of_banned()

        vacations.is_banned = is_banned
        bans.on_added = act_on_ban

    def close_banned(self) -> None:
        """Disconnect those who are banned, the first ones now, further portions in later turns of the loop."""
        self._flushes.spread_notices(self._users.sessions.connected_users(), self._close_if_banned)

    def _close_if_banned(self, user: User) -> None:
        error = self._permits.find_ban("server", user)
        if error is not None:
            self._users.connections.close_connection(user.id, make_goodbye(error))

    def _describe_user(self, user: User) -> AdminUserInfo:
        return AdminUserInfo(
            name=user.name,
            claimed=user.claimed,
            address=host_of(self._users.connections.address_of(user.id)) or None,
            client=self._users.client_of(user) or None,
            table_ids=sorted(self._users.sessions.seats.tables_of(user)),
            muted=self._permits.find_ban("chat", user) is not None,
        )


_ANNOUNCEMENTS: Final = Address("announcements")
_TOKENS: Final = Address("tokens")
_USERS: Final = "users"


class Sharing(Protocol):
    """A service that shares its state with the other nodes."""

    async def begin_sharing(self) -> None:
        """Share from now on."""


class EveryNode:
    """Reaches the users of all nodes. A node's part for its own users is passed to `subscribe_node`."""

    def __init__(self, nodes: Nodes[Any], *shared: Sharing) -> None:
        self._bus = nodes.bus
        self._members = nodes.members
        self._shared: tuple[Sharing, ...] = (nodes.directory, nodes.codes, nodes.lines, *shared)

    async def subscribe_node(
        self,
        announce: Callable[[str], None],
        users: Callable[[], Awaitable[list[AdminUserInfo]]],
    ) -> None:
        """Start to do this node's part.

        Args:
            announce: Sends an announcement to the connected users of this node.
            users: Describes the connected users of this node.
        """

        async def list_connected(_: bytes) -> bytes:
            return msgpack.encode(await users())

        await self._bus.subscribe(_ANNOUNCEMENTS, lambda text: announce(text.decode()))
        await self._bus.answer(at_node(self._members.me, _USERS), list_connected)

    async def share_users(
        self, users: Users, web_codes: WebCodes, on_elsewhere: Callable[[UserId, str], object]
    ) -> None:
        """Tell the other nodes who is connected to this one, of its tables, and of each use of a token; follow theirs.

        One of them gives guests their names, and each one uses the codes up that it has created. `on_elsewhere` is
        called with the users who are connected to other nodes.
        """
        await self._share_uses(users.tokens)
        await users.connections.begin_sharing(self._members, self._bus)
        # A node that has just started does not know the numbers of one that hangs, whose connections are older.
        users.sessions.count_from = users.time.now_ms
        presence = Presence(self._members, self._bus, users.sessions, users.connections, on_elsewhere)
        await presence.begin_sharing()
        await NameLeases(self._members, self._bus, users.sessions, users.time.seconds).begin_sharing()
        await web_codes.begin_sharing(self._members, self._bus)
        for shared in self._shared:
            await shared.begin_sharing()

    async def _share_uses(self, tokens: Tokens) -> None:
        """Share the uses of tokens: rows of sessions come a minute later."""

        def publish_use(use: TokenUse) -> None:
            if len(self._members.running_nodes()) > 1:
                self._bus.publish(_TOKENS, msgpack.encode(use))

        tokens.on_used = publish_use
        await self._bus.subscribe(_TOKENS, lambda use: tokens.note_use(msgpack.decode(use, type=TokenUse)))

    def announce_text(self, text: str) -> None:
        """Send an announcement to all connected users."""
        self._bus.publish(_ANNOUNCEMENTS, text.encode())

    async def list_users(self) -> list[AdminUserInfo]:
        """Describe the connected users of all nodes. Raises ScovilleError when a node does not answer."""
        found: list[AdminUserInfo] = []
        for node in self._members.running_nodes():
            reply = await self._bus.request(at_node(node, _USERS), b"")
            found += msgpack.decode(reply, type=list[AdminUserInfo])
        return found
