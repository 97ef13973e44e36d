"""Two whole servers that serve in one epoch, on a real engine: its stream, and the bus over its servers."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from scoville_server.accounts.sessions import User
from scoville_server.cluster.engine_bus import EngineBus
from scoville_server.journal.base import Deposed
from scoville_server.journal.jetstream.courier import EngineCourier
from scoville_server.journal.jetstream.engine import Engine, Place
from scoville_server.journal.jetstream.journal import JetStreamJournal
from scoville_server.journal.jetstream.member import ClusterTerms, Member
from scoville_server.net.flushes import FlushQueue
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.neighbours import Neighbours, ServingMembers
from scoville_server.nodes.nodes import Nodes, join_nodes
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.actor import TableActor
from scoville_server.tables.lifecycle import adoption
from scoville_shared.errors import Code
from scoville_shared.protocol import messages as m
from tests.support.clock import FakeClock
from tests.support.core import code_of
from tests.support.nats_server import KEY
from tests.support.server import Caller, core_of, toy_shelf, until


class ServingNode:
    """A server with all that a node has, except for its port; the first one takes an epoch, the others join it.

    Its beats stand still, so that no node is missed on a busy machine.
    """

    def __init__(self, place: Place, name: str, *, joins: bool) -> None:
        self.courier = EngineCourier(place)
        self.bus = EngineBus(self.courier)
        self.neighbours = Neighbours(self.courier, name, f"{name}.example:1", FakeClock().server)
        self.members = ServingMembers(self.neighbours, NodeId(name))
        self.courier.on_reconnected = self.members.note_gap
        terms = ClusterTerms(
            Member(name, f"{name}.example:1", KEY),
            1_000,
            on_epoch=lambda epoch: self.neighbours.begin_serving(epoch, 0.0),
        )

        def see_nodes(flushes: FlushQueue) -> Nodes[TableActor]:
            return join_nodes(flushes, self.members, self.bus, joins=joins)

        journal = JetStreamJournal(Engine(place), terms)
        self.server = Server(Settings(table_creations=0), toy_shelf(), journal, make_nodes=see_nodes)

    async def start(self) -> None:
        await self.courier.connect()
        await self.server.start()

    def user(self, name: str) -> User | None:
        return core_of(self.server).sessions.find_by_name(name)

    async def close(self) -> None:
        await self.server.close()
        await self.bus.close()
        await self.courier.close()


@pytest.fixture
async def nodes(nats_place: Place, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[ServingNode, ServingNode]]:
    monkeypatch.setattr(adoption, "SETTLED_SECONDS", 0.0)
    first, second = ServingNode(nats_place, "a", joins=False), ServingNode(nats_place, "b", joins=True)
    await first.start()
    await second.start()
    # Beats are sent once, and each node has to hear that of the other.
    for node in (first, second):
        node.neighbours.send_beat()
    await until(lambda: all(len(node.members.running_nodes()) == 2 for node in (first, second)))
    yield first, second
    await second.close()
    await first.close()


async def test_user_has_one_connection_at_two_nodes(nodes: tuple[ServingNode, ServingNode]) -> None:
    a, b = nodes
    vera = await Caller(a.server).hello("Vera")
    await vera.call(m.SayRequest(text="hi"))
    assert vera.welcome is not None
    await until(lambda: (user := b.user("Vera")) is not None and user.elsewhere == "a")
    there = await Caller(b.server).hello("Vera", vera.welcome.token)
    assert there.welcome is not None
    assert there.welcome.resumed
    await until(lambda: vera.peer.closed)
    assert vera.peer.bye is not None
    assert (vera.peer.bye.code, there.peer.closed) == (Code.TAKEN_OVER, False)
    user = a.user("Vera")
    assert user is not None
    assert user.elsewhere == "b"


async def test_guests_who_come_to_two_nodes_at_one_moment_have_two_names(
    nodes: tuple[ServingNode, ServingNode],
) -> None:
    servers = [node.server for node in nodes] * 3
    callers = await asyncio.gather(*(Caller(server).hello("Zoe") for server in servers))
    names = [caller.welcome.name for caller in callers if caller.welcome]
    assert sorted(names) == ["Zoe", *(f"Zoe {number}" for number in range(2, 7))]


async def test_unknown_token_and_code_are_final_at_no_node_that_may_have_been_followed(
    nodes: tuple[ServingNode, ServingNode], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def deny() -> None:
        raise Deposed

    for node in nodes:
        core = core_of(node.server)
        monkeypatch.setattr(core.journal, "confirm_epoch", deny)
        anna = await Caller(node.server).hello("Anna")
        assert await code_of(anna, m.EnterRequest(code="zesty-zeppelin-zesty")) == Code.MOVED
        # One of them gives names, the other one asks it.
        assert await code_of(Caller(node.server), m.HelloRequest(protocol=m.PROTOCOL, token="unknown")) == Code.MOVED


async def test_tables_of_a_node_that_leaves_are_taken_over(
    nodes: tuple[ServingNode, ServingNode],
) -> None:
    a, b = nodes
    anna = await Caller(a.server).hello("Anna")
    table = await anna.create("high_card", 2)
    await anna.call(m.JoinRequest(table=table))
    directory = core_of(b.server).nodes.directory
    await until(lambda: directory.find_owner(table) == "a")
    # As if it had ended a moment ago: its beats say that it leaves.
    a.neighbours.end_serving(leaving=True)
    await until(lambda: len(b.members.running_nodes()) == 1)
    assert directory.is_moving(table)
    b.neighbours.on_loss("a")
    await until(lambda: table in core_of(b.server).tables)
    actor = core_of(b.server).tables.find_table(table)
    await until(lambda: not actor.watched.awaits_adoption)
    assert actor.table.owner is not None
    assert actor.table.owner.node == "b"
    # The former owner finds that out with its next write.
    assert await code_of(anna, m.StartRequest(table=table)) == Code.MOVED


async def test_tables_stay_where_they_are_when_a_node_joins(nats_place: Place) -> None:
    first, second = ServingNode(nats_place, "a", joins=False), ServingNode(nats_place, "b", joins=True)
    await first.start()
    anna = await Caller(first.server).hello("Anna")
    table = await anna.create("high_card", 2)
    await second.start()
    assert [len(core_of(node.server).tables) for node in (first, second)] == [1, 0]
    await anna.call(m.JoinRequest(table=table))
    ben = await Caller(second.server).hello("Ben")
    other = await ben.create("high_card", 2)
    await ben.call(m.JoinRequest(table=other))
    assert not first.server.moved.is_set()
    await second.close()
    await first.close()
