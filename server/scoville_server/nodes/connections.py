"""The connections of users, whichever node they have connected to. That they are all in this process is known here."""

from collections.abc import Callable, Iterable
from typing import Protocol

from scoville_server.net.flushes import FlushQueue
from scoville_server.net.service import Peer
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import ByeNotice, Notice


class UserConnections(Protocol):
    """Reaches users by their id. Notices to disconnected or unknown users are dropped without an error."""

    def is_here(self, user: UserId) -> bool:
        """Whether a user is connected."""

    def notify(self, user: UserId, notice: Notice) -> None:
        """Send a notice to a user. Never blocks and never raises."""

    def notify_all(self, users: Iterable[UserId], notice: Notice) -> None:
        """Send a notice to many users, in portions: the last ones get it some turns of the loop later."""

    def close(self, user: UserId, bye: ByeNotice) -> None:
        """Close a user's connection after what is queued for it and `bye`."""

    def address(self, user: UserId) -> str:
        """Return the address from which a user is connected, empty for none."""


class LocalConnections:
    """`UserConnections` of this process alone.

    Args:
        find: Returns the connection of a user, None for a disconnected or unknown one.
        flushes: Sends to a crowd in portions.
    """

    def __init__(self, find: Callable[[UserId], Peer | None], flushes: FlushQueue) -> None:
        self._find = find
        self._flushes = flushes

    def is_here(self, user: UserId) -> bool:
        """Whether a user is connected."""
        return self._find(user) is not None

    def notify(self, user: UserId, notice: Notice) -> None:
        """Send a notice to a user."""
        if (peer := self._find(user)) is not None:
            peer.notify(notice)

    def notify_all(self, users: Iterable[UserId], notice: Notice) -> None:
        """Send a notice to many users."""
        self._flushes.spread(users, lambda user: self.notify(user, notice))

    def close(self, user: UserId, bye: ByeNotice) -> None:
        """Close a user's connection."""
        if (peer := self._find(user)) is not None:
            peer.close(bye)

    def address(self, user: UserId) -> str:
        """Return the address of a user's connection."""
        peer = self._find(user)
        return "" if peer is None else peer.address
