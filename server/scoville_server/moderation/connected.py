"""The connected users of this node as an admin sees them."""

from collections.abc import Callable

from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import Users
from scoville_server.net.addresses import host_of
from scoville_server.net.flushes import in_portions
from scoville_shared.protocol.messages import AdminUserInfo


class ConnectedUsers:
    """Describes the connected users; `is_muted` says who may not chat."""

    def __init__(self, users: Users, is_muted: Callable[[User], bool]) -> None:
        self._users = users
        self._is_muted = is_muted

    async def list(self) -> list[AdminUserInfo]:
        """List them, a portion in each turn of the loop."""
        here = in_portions(self._users.sessions.here())
        return [self._describe(user) async for user in here if user.here]

    def _describe(self, user: User) -> AdminUserInfo:
        return AdminUserInfo(
            name=user.name,
            claimed=user.claimed,
            address=host_of(self._users.connections.address(user.id)) or None,
            client=self._users.client_of(user) or None,
            table_ids=sorted(user.tables),
            muted=self._is_muted(user),
        )
