"""Presence: what a node notes of users whom it does not know yet."""

from collections.abc import Callable

import pytest

from scoville_server.accounts.presence import Presence, Visit, Visits
from scoville_server.nodes.bus import LocalBus
from scoville_server.nodes.members import NodeId
from scoville_server.server import Server
from scoville_shared.ids import UserId
from tests.support.server import core_of

ME, SECOND, THIRD = NodeId("first"), NodeId("second"), NodeId("third")


class Members:
    """The nodes of a cluster, as the first one sees them."""

    def __init__(self) -> None:
        self.me = ME
        self.running = [ME, SECOND, THIRD]

    def running_nodes(self) -> list[NodeId]:
        return self.running

    def heir_of(self, _thing: str) -> NodeId:
        return ME

    def follow_losses(self, on_loss: Callable[[NodeId], object]) -> None:
        """Nobody asks for losses here."""

    def follow_gaps(self, on_gap: Callable[[bool], object]) -> None:
        """Nobody asks for gaps here."""

    def follow_returns(self, on_return: Callable[[NodeId], object]) -> None:
        """Nobody comes back."""


def visit(name: str, node: NodeId) -> Visits:
    return Visits(node, (Visit(UserId(name), 1, here=True),))


def known_strangers(presence: Presence) -> list[str]:
    return [user for visits in presence._at.values() for user in visits]


@pytest.fixture
def members() -> Members:
    return Members()


async def test_strangers_at_an_ended_node_are_forgotten(server: Server, members: Members) -> None:
    core = core_of(server)
    presence = Presence(members, LocalBus(), core.sessions, core.users.connections)
    for number, node in enumerate((SECOND, THIRD, SECOND)):
        presence._note_visits(visit(f"stranger{number}", node))
    members.running.remove(SECOND)
    presence._note_visits(visit("another", THIRD))
    assert known_strangers(presence) == ["stranger1", "another"]


async def test_strangers_at_an_unlisted_node_are_kept(server: Server, members: Members) -> None:
    core = core_of(server)
    presence = Presence(members, LocalBus(), core.sessions, core.users.connections)
    new = NodeId("new")
    for name in ("Anna", "Ben"):
        presence._note_visits(visit(name, new))
    assert known_strangers(presence) == ["Anna", "Ben"]
