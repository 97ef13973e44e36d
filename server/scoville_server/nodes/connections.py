"""The connections of users, whichever node they have connected to. Which of them are in this process is known here."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Final, Protocol

from msgspec import Struct, msgpack

from scoville_server.net.flushes import FlushQueue
from scoville_server.net.peer import Peer
from scoville_server.nodes.bus import Bus, at_node
from scoville_server.nodes.members import Members, NodeId
from scoville_shared.ids import UserId
from scoville_shared.protocol.connection import notice_bytes
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
        """Close a user's connection after its queued bytes and `bye`."""

    def address_of(self, user: UserId) -> str:
        """Return the address from which a user is connected, empty for none and where it is not known here."""

    def is_at_this_node(self, user: UserId) -> bool:
        """Whether a user is connected to this node."""

    def has_line(self, user: UserId) -> bool:
        """Whether a user is connected to this node, or visits its tables from another one."""

    def locate_user(self, user: UserId, node: str) -> None:
        """Note to which other node a user is connected; empty for none."""

    async def begin_sharing(self, members: Members, bus: Bus) -> None:
        """Reach the users of other nodes from now on, and let those nodes reach the users of this one."""


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

    def is_at_this_node(self, user: UserId) -> bool:
        return user in self._peers

    def has_line(self, user: UserId) -> bool:
        return user in self._peers

    def locate_user(self, user: UserId, node: str) -> None:
        """Nobody is connected elsewhere: there is no other node."""

    async def begin_sharing(self, members: Members, bus: Bus) -> None:
        """There is no other node."""


_NOTICES: Final = "notices"
_GOODBYES: Final = "goodbyes"


class _FarNotice(Struct, frozen=True, array_like=True):
    """A notice to a user of another node, as the bytes that their client gets."""

    user: UserId
    notice: bytes


class _FarGoodbye(Struct, frozen=True, array_like=True):
    """The end of the connection of a user to another node."""

    user: UserId
    bye: ByeNotice


class SharedConnections(LocalConnections):
    """`UserConnections` of one of several nodes.

    Users of other nodes are reached by the lines on which they visit tables here, or else by their node.

    Attributes:
        on_sharing: Are awaited when sharing begins, with what leads to the other nodes.
        on_changed: Is called with a user who is connected elsewhere from now on, or not any more, unless they were
            connected to this node all the time; and with whether they are.
    """

    def __init__(self, flushes: FlushQueue) -> None:
        super().__init__(flushes)
        self._visits: dict[UserId, list[Peer]] = {}
        self._elsewhere: dict[UserId, str] = {}
        self._bus: Bus | None = None
        self.on_sharing: list[Callable[[Members, Bus], Awaitable[None]]] = []
        self.on_changed: Callable[[UserId, bool], object] = lambda *_: None

    async def begin_sharing(self, members: Members, bus: Bus) -> None:
        self._bus = bus
        await bus.subscribe(at_node(members.me, _NOTICES), self._pass_on_notice)
        await bus.subscribe(at_node(members.me, _GOODBYES), self._pass_on_goodbye)
        for begin in self.on_sharing:
            await begin(members, bus)

    def _pass_on_notice(self, message: bytes) -> None:
        sent = msgpack.decode(message, type=_FarNotice)
        if (peer := self._peers.get(sent.user)) is not None:
            peer.pass_on_notice(sent.notice)

    def _pass_on_goodbye(self, message: bytes) -> None:
        sent = msgpack.decode(message, type=_FarGoodbye)
        super().close_connection(sent.user, sent.bye)

    def is_here(self, user: UserId) -> bool:
        return user in self._peers or user in self._visits or user in self._elsewhere

    def has_line(self, user: UserId) -> bool:
        return user in self._peers or user in self._visits

    def add_visit(self, user: UserId, peer: Peer) -> None:
        """Reach a user of another node by a line of theirs from now on."""
        was_here = self.is_here(user)
        self._visits.setdefault(user, []).append(peer)
        self._report_change(user, was_here=was_here)

    def remove_visit(self, user: UserId, peer: Peer) -> None:
        """Note that a line has ended."""
        was_here = self.is_here(user)
        visits = [each for each in self._visits.pop(user, ()) if each is not peer]
        if visits:
            self._visits[user] = visits
        self._report_change(user, was_here=was_here)

    def locate_user(self, user: UserId, node: str) -> None:
        was_here = self.is_here(user)
        if node:
            self._elsewhere[user] = node
        else:
            self._elsewhere.pop(user, None)
        self._report_change(user, was_here=was_here)

    def _report_change(self, user: UserId, *, was_here: bool) -> None:
        if self.is_here(user) != was_here:
            self.on_changed(user, not was_here)

    def notify_user(self, user: UserId, notice: Notice) -> None:
        if (peer := self._peers.get(user)) is not None:
            peer.notify(notice)
        elif visits := self._visits.get(user):
            visits[-1].notify(notice)
        elif self._bus is not None and (node := self._elsewhere.get(user)):
            self._bus.publish(at_node(NodeId(node), _NOTICES), msgpack.encode(_FarNotice(user, notice_bytes(notice))))

    def close_connection(self, user: UserId, bye: ByeNotice) -> None:
        if user in self._peers:
            super().close_connection(user, bye)
        elif self._bus is not None and (node := self._elsewhere.get(user)):
            self._bus.publish(at_node(NodeId(node), _GOODBYES), msgpack.encode(_FarGoodbye(user, bye)))

    def address_of(self, user: UserId) -> str:
        visits = self._visits.get(user)
        return super().address_of(user) or (visits[-1].address if visits else "")
