"""Messages of tables that move to another node while a message is being written."""

from collections.abc import Callable
from typing import Final

from msgspec import msgpack

from scoville_server.chat.model.messages import ChatMessage, table_of_channel
from scoville_server.nodes.bus import Bus, at_node
from scoville_server.nodes.directory import Directory
from scoville_server.nodes.members import Members

_MOVED: Final = "chat.moved"


class MovedMessages:
    """Passes a message on to the node that serves its table by now: the node that has written it tells nobody.

    Args:
        directory: Finds that node.
        notify: Sends a message to the users at a table of this node.
    """

    def __init__(self, directory: Directory, notify: Callable[[ChatMessage], object]) -> None:
        self._directory = directory
        self._notify = notify
        self._bus: Bus | None = None

    async def begin_sharing(self, members: Members, bus: Bus) -> None:
        """Take messages of other nodes from now on, and pass on those of this one."""
        self._bus = bus
        await bus.subscribe(at_node(members.me, _MOVED), self._take_message)

    def pass_on(self, message: ChatMessage) -> None:
        """Pass on a message that this node has written; of a table that it serves, or that is gone, nothing is sent."""
        owner = self._directory.find_owner(table_of_channel(message.channel))
        if owner is not None and self._bus is not None:
            self._bus.publish(at_node(owner, _MOVED), msgpack.encode(message))

    def _take_message(self, message: bytes) -> None:
        self._notify(msgpack.decode(message, type=ChatMessage))
