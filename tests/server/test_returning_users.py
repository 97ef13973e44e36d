"""Who comes back at once is expected: the queue of connections then waits for nobody else."""

from collections.abc import Callable

import pytest

from scoville_server.journal.memory import MemoryJournal
from scoville_server.net.flushes import FlushQueue
from scoville_server.net.read_scheduler import ReadScheduler
from scoville_server.nodes.members import Alone, NodeId
from scoville_server.nodes.nodes import Nodes, join_nodes, single_node
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.actor import TableActor
from scoville_shared.protocol import messages as m
from tests.support.core import seat_users
from tests.support.server import CHEAP_HASHING, toy_shelf


@pytest.fixture
def expected(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    counts: list[int] = []
    monkeypatch.setattr(ReadScheduler, "expect_returns", lambda _, users: counts.append(users))
    return counts


class LosesNodes(Alone):
    """Sees other nodes go."""

    def __init__(self) -> None:
        super().__init__()
        self.followers: list[Callable[[NodeId], object]] = []

    def follow_losses(self, on_loss: Callable[[NodeId], object]) -> None:
        self.followers.append(on_loss)


def make_server(journal: MemoryJournal, members: LosesNodes | None = None) -> Server:
    def make_nodes(flushes: FlushQueue) -> Nodes[TableActor]:
        if members is None:
            return single_node(flushes)
        alone: Nodes[TableActor] = single_node(flushes)
        return join_nodes(flushes, members, alone.bus, joins=False)

    settings = Settings(accounts=CHEAP_HASHING)
    return Server(settings, catalog=toy_shelf(), journal=journal, make_nodes=make_nodes)


async def test_those_with_seats_are_expected_after_a_start(expected: list[int]) -> None:
    journal = MemoryJournal()
    server = make_server(journal)
    await server.start()
    table, (anna, *_) = await seat_users(server, "Anna", "Ben")
    await anna.call(m.StartRequest(table=table))
    await server.close()
    server = make_server(journal)
    await server.start()
    await server.close()
    assert expected == [0, 2]


async def test_as_many_as_play_here_are_expected_from_a_lost_node(expected: list[int]) -> None:
    members = LosesNodes()
    server = make_server(MemoryJournal(), members)
    await server.start()
    await seat_users(server, "Anna", "Ben")
    del expected[:]
    for follower in members.followers:
        follower(NodeId("other"))
    assert expected == [2]
    await server.close()
