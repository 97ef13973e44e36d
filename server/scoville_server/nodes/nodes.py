"""The parts through which services reach other nodes, as one argument."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from scoville_runtime.host_status import ClusterStatus, LinkStatus
from scoville_server.net.flushes import FlushQueue
from scoville_server.nodes.bus import Bus, LocalBus
from scoville_server.nodes.codes import SharedCodes
from scoville_server.nodes.connections import LocalConnections, SharedConnections, UserConnections
from scoville_server.nodes.directory import Directory, SharedDirectory
from scoville_server.nodes.held_keys import HeldKeys
from scoville_server.nodes.loads import NodeLoad
from scoville_server.nodes.members import THIS, Alone, Members, NodeId
from scoville_server.nodes.serving import LocalServing, Ownership, Serving

if TYPE_CHECKING:  # a server that is alone does without
    from scoville_server.nodes.link.links import Links

A = TypeVar("A")


class Nodes(NamedTuple, Generic[A]):
    """The nodes of a server as one of them sees them; `A` are the actors of tables.

    Attributes:
        members: Which nodes run.
        bus: Carries messages between them.
        tables: Finds the tables that this node serves.
        directory: Finds the nodes that serve the other ones.
        codes: The codes of tables.
        lines: The lines of the lobby: how each node's tables look in it.
        ownership: Decides which tables this node serves.
        connections: Reaches users, whichever node they have connected to.
        joins: Whether this node serves beside others, in their epoch, and does not follow another one.
        addresses: Returns where users reach the nodes; nothing for a server that is alone.
        read_status: Returns what hosts are shown of the cluster; None for a server that is alone.
        restore_contact: Returns None while this node is sure that it serves, else what ends once it is, or after some
            seconds, with whether users may come.
        notice_hang: Notices, before any answer about a table, whether this process hung for so long that the others may
            have missed it.
        links: Leads to the nodes that serve the other tables; None for a server that is alone.
        read_loads: Returns what the other nodes serve.
        begin_draining: Tells the other nodes that this one gives its tables away, and takes none.
        left: The node that has just left, and whom this one follows; None for none.
    """

    members: Members
    bus: Bus
    tables: Serving[A]
    directory: Directory
    codes: SharedCodes
    lines: HeldKeys
    ownership: Ownership[A]
    connections: UserConnections
    joins: bool = False
    addresses: Callable[[], Sequence[str]] = tuple
    read_status: Callable[[], ClusterStatus | None] = lambda: None
    restore_contact: Callable[[], Awaitable[bool] | None] = lambda: None
    notice_hang: Callable[[], object] = lambda: None
    links: "Links | None" = None
    read_loads: Callable[[], Mapping[NodeId, NodeLoad]] = dict
    begin_draining: Callable[[], None] = lambda: None
    left: NodeId | None = None

    def describe_links(self) -> LinkStatus | None:
        """Describe the links for hosts; None where there can be none."""
        return None if self.links is None else self.links.figures.describe_links()


def is_alone(nodes: Nodes[Any]) -> bool:
    """Whether there can be no other node."""
    return isinstance(nodes.members, Alone)


def single_node(flushes: FlushQueue | None = None, me: NodeId = THIS) -> Nodes[A]:
    """Return the nodes of a server that serves alone; `flushes` are those of its connections."""
    return _make_nodes(Alone(me), LocalBus(), LocalConnections(flushes or FlushQueue()), joins=False)


def join_nodes(
    flushes: FlushQueue, members: Members, bus: Bus, *, joins: bool, links: "Links | None" = None
) -> Nodes[A]:
    """Return the nodes as one of several sees them."""
    return _make_nodes(members, bus, SharedConnections(flushes), joins=joins, links=links)


def _make_nodes(
    members: Members, bus: Bus, connections: UserConnections, *, joins: bool, links: "Links | None" = None
) -> Nodes[A]:
    held = HeldKeys(members, bus, "tables")
    serving: LocalServing[A] = LocalServing(members, held, joins=joins)
    codes, lines = SharedCodes(members, HeldKeys(members, bus, "codes")), HeldKeys(members, bus, "lobby")
    directory = SharedDirectory(members, held, codes, joins=joins)
    return Nodes(members, bus, serving, directory, codes, lines, serving, connections, joins, links=links)
