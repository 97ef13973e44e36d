"""Moderation at every node: two nodes on one bus."""

from collections.abc import Callable

import pytest

from scoville_server.moderation.every_node import EveryNode
from scoville_server.nodes.bus import LocalBus, NoSubscriber
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.nodes import Nodes, single_node
from scoville_shared.protocol.messages import AdminUserInfo

NODES = (NodeId("first"), NodeId("second"))


class Cluster:
    """Two nodes, of which each has one user, and what they have done."""

    def __init__(self) -> None:
        self.bus = LocalBus()
        self.done: list[tuple[str, str]] = []
        self.nodes = {node: EveryNode(self._as_seen_by(node)) for node in NODES}

    def _as_seen_by(self, node: NodeId) -> Nodes[object]:
        alone: Nodes[object] = single_node()
        return alone._replace(bus=self.bus, members=_Seen(node))

    async def begin(self, node: NodeId) -> None:
        user = AdminUserInfo(
            name=f"user of {node}", claimed=False, address=None, client=None, muted=False, table_ids=[]
        )

        async def users() -> list[AdminUserInfo]:
            return [user]

        await self.nodes[node].subscribe_node(
            lambda text: self.done.append((node, text)),
            users,
        )


class _Seen:
    """The members as one of the nodes sees them."""

    def __init__(self, me: NodeId) -> None:
        self.me = me

    def running_nodes(self) -> tuple[NodeId, ...]:
        return NODES

    def heir_of(self, _thing: str) -> NodeId:
        return NODES[0]

    def follow_losses(self, on_loss: Callable[[NodeId], object]) -> None:
        """Nobody asks for losses here."""

    def follow_gaps(self, on_gap: Callable[[bool], object]) -> None:
        """Nobody asks for gaps here."""

    def follow_returns(self, on_return: Callable[[NodeId], object]) -> None:
        """Nobody comes back."""


@pytest.fixture
async def cluster() -> Cluster:
    cluster = Cluster()
    for node in NODES:
        await cluster.begin(node)
    return cluster


async def test_users_of_all_nodes_get_an_announcement(cluster: Cluster) -> None:
    cluster.nodes[NODES[1]].announce_text("Hello, \u00c4nne")
    assert cluster.done == [("first", "Hello, \u00c4nne"), ("second", "Hello, \u00c4nne")]


async def test_the_connected_users_of_all_nodes_are_listed(cluster: Cluster) -> None:
    assert [user.name for user in await cluster.nodes[NODES[0]].list_users()] == ["user of first", "user of second"]


async def test_a_silent_node_is_an_error() -> None:
    cluster = Cluster()
    await cluster.begin(NODES[0])
    with pytest.raises(NoSubscriber):
        await cluster.nodes[NODES[0]].list_users()
