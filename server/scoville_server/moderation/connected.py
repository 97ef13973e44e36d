"""The connected users of this node, as moderation lists and disconnects them."""

from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import Users
from scoville_server.moderation.permits import ServerPermits
from scoville_server.net.flushes import FlushQueue, in_portions
from scoville_shared.networks import host_of
from scoville_shared.protocol.messages import AdminUserInfo, ByeNotice


class ConnectedUsers:
    """Lists the connected users, and closes the connections of those who are banned; `flushes` spreads the work."""

    def __init__(self, users: Users, permits: ServerPermits, flushes: FlushQueue) -> None:
        self._users = users
        self._permits = permits
        self._flushes = flushes

    async def list_users(self) -> list[AdminUserInfo]:
        """List them as an admin sees them, a portion in each turn of the loop."""
        here = in_portions(self._users.sessions.connected_users())
        return [self._describe_user(user) async for user in here if user.here]

    def close_banned(self) -> None:
        """Disconnect those who are banned, the first ones now, further portions in later turns of the loop."""
        self._flushes.spread_notices(self._users.sessions.connected_users(), self._close_if_banned)

    def _close_if_banned(self, user: User) -> None:
        error = self._permits.find_ban("server", user)
        if error is not None:
            self._users.connections.close_connection(user.id, ByeNotice(code=error.code, message=error.message))

    def _describe_user(self, user: User) -> AdminUserInfo:
        return AdminUserInfo(
            name=user.name,
            claimed=user.claimed,
            address=host_of(self._users.connections.address_of(user.id)) or None,
            client=self._users.client_of(user) or None,
            table_ids=sorted(user.tables),
            muted=self._permits.find_ban("chat", user) is not None,
        )
