"""The connections of users, whichever node they have connected to. That they are all in this process is known here."""

from collections.abc import Iterable
from typing import Protocol

from scoville_server.net.flushes import FlushQueue
from scoville_server.net.service import Peer
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import ByeNotice, Notice


class UserConnections(Protocol):
    """Reaches users by their id. Notices to disconnected or unknown users are dropped without an error."""

    def attach_user(self, user: UserId, peer: Peer) -> None:
        """Make `peer`, a connection to this node, the one by which a user is reached."""

    def detach_user(self, user: UserId) -> None:
        """Note that a user has disconnected from this node; one who was not connected is fine."""

    def is_here(self, user: UserId) -> bool:
        """Whether a user is connected."""

    def notify_user(self, user: UserId, notice: Notice) -> None:
        """Send a notice to a user. Never blocks and never raises."""

    def notify_all(self, users: Iterable[UserId], notice: Notice) -> None:
        """Send a notice to many users, in portions: the last ones get it some turns of the loop later."""

    def close_connection(self, user: UserId, bye: ByeNotice) -> None:
        """Close a user's connection after what is queued for it and `bye`."""

    def address_of(self, user: UserId) -> str:
        """Return the address from which a user is connected, empty for none."""


class LocalConnections:
    """`UserConnections` of this process alone; `flushes` sends to a crowd in portions."""

    def __init__(self, flushes: FlushQueue) -> None:
        self._flushes = flushes
        self._peers: dict[UserId, Peer] = {}

    def attach_user(self, user: UserId, peer: Peer) -> None:
        self._peers[user] = peer

    def detach_user(self, user: UserId) -> None:
        self._peers.pop(user, None)

    def is_here(self, user: UserId) -> bool:
        return user in self._peers

    def notify_user(self, user: UserId, notice: Notice) -> None:
        if (peer := self._peers.get(user)) is not None:
            peer.notify(notice)

    def notify_all(self, users: Iterable[UserId], notice: Notice) -> None:
        self._flushes.spread_notices(users, lambda user: self.notify_user(user, notice))

    def close_connection(self, user: UserId, bye: ByeNotice) -> None:
        if (peer := self._peers.get(user)) is not None:
            peer.close(bye)

    def address_of(self, user: UserId) -> str:
        peer = self._peers.get(user)
        return "" if peer is None else peer.address
