"""Two nodes of a cluster that serve in one epoch, on a real engine: each reaches the tables of the other by a link."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from scoville_server.cluster import node as node_module
from scoville_server.cluster.link_port import open_link_port
from scoville_server.cluster.node import ClusterNode
from scoville_server.journal.base import JournalError
from scoville_server.journal.files import key_file
from scoville_server.journal.jetstream.courier import EngineCourier
from scoville_server.journal.jetstream.engine import Place
from scoville_server.net.listening import ListeningSockets
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.neighbours import Neighbours
from scoville_server.nodes.settings import ClusterSettings
from scoville_server.nodes.standby import Standby
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.lifecycle import adoption
from scoville_shared.protocol import messages as m
from tests.support.clock import FakeClock
from tests.support.nats_server import KEY
from tests.support.server import CHEAP_HASHING, Caller, until


class Turns:
    """Nodes whose beats stand still, so that none is missed on a busy machine; the first one takes the epoch."""

    def __init__(self, place: Place, folder: Path) -> None:
        self._place = place
        self._folder = folder
        self.nodes: list[ClusterNode] = []
        self.servers: list[Server] = []
        self._sockets: list[ListeningSockets] = []

    async def start_node(self, name: str) -> Server:
        data = self._folder / name
        data.mkdir()
        key_file.write_key(data, KEY)
        cluster = ClusterSettings(servers=self._place.servers, link="127.0.0.1:0")
        settings = Settings(host="127.0.0.1", port=0, data=data, cluster=cluster, accounts=CHEAP_HASHING)
        node, sockets = ClusterNode(settings), ListeningSockets()
        self.nodes.append(node)
        self._sockets.append(sockets)
        await node.join(sockets)
        await node.wait_for_turn(sockets)
        await node.close_port()
        self._sockets[-1] = sockets = sockets.next_in_process()
        server = node.make_server(lambda: Any, sockets)  # type: ignore[arg-type, return-value]
        self.servers.append(server)
        await server.start()
        for each in self.nodes:
            each.neighbours.send_beat()
        await until(lambda: all(len(each.neighbours.list_beside()) == len(self.nodes) - 1 for each in self.nodes))
        return server

    async def close(self) -> None:
        for server in self.servers:
            await server.close()
        for node, sockets in zip(self.nodes, self._sockets, strict=True):
            await node.leave()
            sockets.close_unused()
            sockets.close_kept()


@pytest.fixture
async def turns(nats_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Turns]:
    made = Turns(nats_place, tmp_path)

    def make_neighbours(courier: EngineCourier, me: str, address: str, _: object) -> Neighbours:
        return Neighbours(courier, me, address, FakeClock().server)

    async def wait_for_turn(_: Standby) -> bool:
        return len(made.nodes) > 1

    monkeypatch.setattr(node_module, "place_of", lambda _: nats_place)
    monkeypatch.setattr(node_module, "Neighbours", make_neighbours)
    monkeypatch.setattr(Standby, "wait_for_turn", wait_for_turn)
    monkeypatch.setattr(adoption, "SETTLED_SECONDS", 0.0)
    yield made
    await made.close()


async def test_nodes_that_serve_reach_each_others_tables(turns: Turns) -> None:
    first, second = await turns.start_node("a"), await turns.start_node("b")
    anna, ben = Caller(first), Caller(second)
    await anna.hello("Anna")
    await ben.hello("Ben")
    opened: m.CreateReply = await anna.call(m.CreateRequest(game="no_thanks", seat_count=3))
    table = opened.info.table
    await until(lambda: turns.nodes[1].neighbours.heard and second._services.nodes.directory.find_owner(table))
    await ben.call(m.JoinRequest(table=table))
    snapshot: m.TableSnapshot = await ben.call(m.WatchRequest(table=table))
    assert snapshot.seat == 0
    status = turns.nodes[1].read_status()
    for node in turns.nodes:
        node.neighbours.send_beat()
    await until(lambda: [each.tables for each in turns.nodes[1].read_status().nodes] == [0, 1])
    assert [node.serves for node in status.nodes] == [True, True]
    assert status.epoch == 1


async def test_links_of_a_former_turn_end(turns: Turns) -> None:
    await turns.start_node("a")
    [node] = turns.nodes
    assert node._link_port is not None
    before = node._link_port.links
    assert before.open_visit is not None
    await node.wait_for_turn(ListeningSockets())
    assert node._link_port.links is not before
    assert node._link_port.links.open_visit is None


async def test_port_for_links_that_is_taken_is_named() -> None:
    neighbours = Neighbours(Deaf(), "a", "a.example:1", FakeClock().server)
    me, clock = NodeId("a"), FakeClock().server
    settings = ClusterSettings(link="127.0.0.1:0")
    opened = await open_link_port(settings, neighbours, me, lambda: KEY, clock)
    assert opened is not None
    assert neighbours.link == f"127.0.0.1:{opened.port}"
    taken = ClusterSettings(link=neighbours.link)
    with pytest.raises(JournalError, match=f"port for links, {neighbours.link}, cannot be opened: Address already"):
        await open_link_port(taken, neighbours, me, lambda: KEY, clock)
    await opened.close()
    assert await open_link_port(ClusterSettings(), neighbours, me, lambda: KEY, clock) is None


class Deaf:
    """A `Courier` that carries nothing."""

    is_connected = True

    def send_message(self, message: bytes) -> None: ...

    def hear_messages(self, handle: object) -> None: ...
