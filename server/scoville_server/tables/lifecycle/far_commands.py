"""The server's own commands to tables of any node: they go to the node that serves the table."""

from typing import Final

from msgspec import Raw, Struct, msgpack

from scoville_server.nodes.bus import at_node
from scoville_server.nodes.nodes import Nodes
from scoville_server.tables.actions.close import Close, Unseal
from scoville_server.tables.actions.enter import FollowMembers
from scoville_server.tables.actor import TableActor
from scoville_server.tables.model.action import Command
from scoville_server.tables.registry import ServerCommands
from scoville_shared.ids import TableId

_COMMANDS: Final = "commands"
_KINDS: Final = {kind.__name__: kind for kind in (Close, Unseal, FollowMembers)}


class _FarCommand(Struct, frozen=True, array_like=True):
    """A command to a table of another node, by the name of its kind."""

    table: TableId
    kind: str
    command: Raw


class FarCommands:
    """Sends commands to tables of all nodes.

    One to a table that is just changing its node is lost: who sends it looks again when the table is opened there.

    Args:
        nodes: The nodes.
        commands: Sends those to tables of this node.
    """

    def __init__(self, nodes: Nodes[TableActor], commands: ServerCommands) -> None:
        self._me, self._bus = nodes.members.me, nodes.bus
        self._tables, self._find_owner = nodes.tables, nodes.directory.find_owner
        self._commands = commands

    async def begin_sharing(self) -> None:
        """Take the commands of other nodes from now on."""
        await self._bus.subscribe(at_node(self._me, _COMMANDS), self._take_command)

    def is_elsewhere(self, table: str) -> bool:
        """Whether another node serves a table."""
        return table not in self._tables and self._find_owner(table) is not None

    def send_command(self, table: TableId, command: Close | Unseal | FollowMembers) -> None:
        """Send a command until the table answers it, if any node serves it."""
        if table in self._tables:
            self._commands.send_until_answered(table, command)
        elif (owner := self._find_owner(table)) is not None:
            sent = _FarCommand(table, type(command).__name__, Raw(msgpack.encode(command)))
            self._bus.publish(at_node(owner, _COMMANDS), msgpack.encode(sent))

    def _take_command(self, message: bytes) -> None:
        sent = msgpack.decode(message, type=_FarCommand)
        # A node of a later version may send one that this one does not know.
        if (kind := _KINDS.get(sent.kind)) is not None and sent.table in self._tables:
            command: Command = msgpack.decode(sent.command, type=kind)
            self._commands.send_until_answered(sent.table, command)
