"""Messages between nodes: for users who have just connected here, and of tables that move while one is written.

Another node may have sent a newcomer messages that this one follows later.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Final, NamedTuple

from msgspec import msgpack, structs

from scoville_server.background.tasks import BackgroundTasks
from scoville_server.chat.model.messages import ChannelId, ChatMessage, table_of_channel
from scoville_server.errors import node_behind
from scoville_server.journal.base import JournalError, Revision
from scoville_server.nodes.bus import Bus, at_node
from scoville_server.nodes.directory import Directory
from scoville_server.nodes.members import Members, NodeId
from scoville_shared.ids import UserId

_MOVED: Final = "chat.moved"
_RETRY_SECONDS: Final = 1.0
_MOST_HELD: Final = 200
"""Messages held for one user: as many as are kept of the lobby. Of more the user reads the oldest."""

ReachPresent = Callable[[], Awaitable[Callable[[Revision], bool]]]
"""Follows what was kept before the call; see `Shared.reach_present`."""


class Followed(NamedTuple):
    """A message as this node has followed it."""

    message: ChatMessage
    revision: Revision


class _Newcomer:
    """A user whose node does not know yet what was kept before they came.

    Attributes:
        read: By channel the number up to which they have read since they came.
        held: The messages that have been followed since then, oldest first.
    """

    def __init__(self) -> None:
        self.read: dict[ChannelId, int] = {}
        self.held: deque[Followed] = deque(maxlen=_MOST_HELD)

    def is_news(self, followed: Followed, was_kept_before: Callable[[Revision], bool]) -> bool:
        """Whether no node can have sent this user a message, or the user does not know it by what they say."""
        message = followed.message
        read = self.read.get(message.channel)
        return not was_kept_before(followed.revision) if read is None else message.n > read


class Newcomers:
    """Holds messages for newcomers until this node has followed all that was kept before they came.

    Of the messages that are held, those that were kept before are not sent: another node may have done that, and a user
    who has missed them there reads the channel, as after any reconnect. A user who reads a channel meanwhile says by
    that which numbers they know; then all later ones are sent.

    Args:
        reach_present: Follows what was kept before the call.
        background: Runs the wait for that.
        send: Sends a user a message that was held.
    """

    def __init__(
        self,
        reach_present: ReachPresent,
        background: BackgroundTasks,
        send: Callable[[UserId, ChatMessage], object],
    ) -> None:
        self._reach_present = reach_present
        self._background = background
        self._send = send
        self._newcomers: dict[UserId, _Newcomer] = {}

    def note_arrival(self, user: UserId) -> None:
        """Hold messages for a user who has just connected."""
        newcomer = self._newcomers[user] = _Newcomer()
        self._background.start_task(self._settle_newcomer(user, newcomer))

    def note_departure(self, user: UserId) -> None:
        """Forget a user who has disconnected, and the messages held for them."""
        self._newcomers.pop(user, None)

    def note_read(self, user: UserId, channel: ChannelId, number: int) -> None:
        """Note that a user has read a channel up to a number."""
        newcomer = self._newcomers.get(user)
        if newcomer is not None:
            newcomer.read[channel] = number

    def hold_message(self, user: UserId, followed: Followed) -> bool:
        """Hold a message for a newcomer; False for another user, to whom it can be sent."""
        newcomer = self._newcomers.get(user)
        if newcomer is None:
            return False
        newcomer.held.append(followed)
        return True

    async def reach_present(self) -> None:
        """Wait until this node has followed all messages kept before. Raises ScovilleError `busy` if it cannot now."""
        try:
            await self._reach_present()
        except JournalError as error:
            raise node_behind() from error

    async def _settle_newcomer(self, user: UserId, newcomer: _Newcomer) -> None:
        # Not a user who has disconnected or reconnected meanwhile.
        while self._newcomers.get(user) is newcomer:
            try:
                was_kept_before = await self._reach_present()
            except JournalError:
                # Nothing can be written or followed meanwhile either.
                if await self._background.closes_within(_RETRY_SECONDS):
                    return
            else:
                self._release_held(user, newcomer, was_kept_before)

    def _release_held(self, user: UserId, newcomer: _Newcomer, was_kept_before: Callable[[Revision], bool]) -> None:
        if self._newcomers.get(user) is newcomer:
            del self._newcomers[user]
            for followed in newcomer.held:
                if newcomer.is_news(followed, was_kept_before):
                    self._send(user, followed.message)


class PassedMessage(ChatMessage, frozen=True, kw_only=True):
    """A message for the users at a table of another node, but for those whom the node that has written it has told."""

    told: tuple[UserId, ...] = ()


class MovedMessages:
    """Passes a message on to the node that serves its table by now: the node that has written it tells its own users.

    Args:
        directory: Finds that node.
        notify: Sends a message to the users at a table of this node, but for some.
    """

    def __init__(self, directory: Directory, notify: Callable[[ChatMessage, Collection[UserId]], object]) -> None:
        self._directory = directory
        self._notify = notify
        self._bus: Bus | None = None

    async def begin_sharing(self, members: Members, bus: Bus) -> None:
        """Take messages of other nodes from now on, and pass on those of this one."""
        self._bus = bus
        await bus.subscribe(at_node(members.me, _MOVED), self._take_message)

    def find_owner(self, message: ChatMessage) -> NodeId | None:
        """Return the node that serves the table of a message by now; None for this one, and for none."""
        return None if self._bus is None else self._directory.find_owner(table_of_channel(message.channel))

    def pass_on(self, message: ChatMessage, owner: NodeId, told: Iterable[UserId]) -> None:
        """Pass on a message that this node has written, and of which it has told some users."""
        assert self._bus is not None, "an owner was found"
        passed = PassedMessage(**structs.asdict(message), told=tuple(told))
        self._bus.publish(at_node(owner, _MOVED), msgpack.encode(passed))

    def _take_message(self, message: bytes) -> None:
        passed = msgpack.decode(message, type=PassedMessage)
        self._notify(passed, passed.told)
