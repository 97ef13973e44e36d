"""A node of a cluster on a real engine: when it serves, and when it lets another one serve."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from scoville_server.cluster import node as node_module
from scoville_server.cluster.key_switch import SUCCESSOR, _note_key
from scoville_server.cluster.node import START_SECONDS, ClusterNode, is_passing, read_at_start
from scoville_server.identity import ServerKey
from scoville_server.journal.base import Conflict, JournalError
from scoville_server.journal.files.credential_file import CREDENTIAL
from scoville_server.journal.jetstream.engine import Engine, Incoming, NoAnswer, Place
from scoville_server.journal.jetstream.insistence import Insistence, outcome_unknown
from scoville_server.journal.jetstream.member import KEY_ADVICE, OtherKey
from scoville_server.journal.jetstream.mirror import CLUSTER, Mirror
from scoville_server.net.doors.settings import DoorSettings
from scoville_server.net.listening import ListeningSockets
from scoville_server.nodes import standby
from scoville_server.nodes.settings import ClusterSettings
from scoville_server.settings.model import Settings
from tests.support import virtual_time
from tests.support.core import TlsDoor
from tests.support.idle import eventually
from tests.support.nats_server import Opened, ask_stream
from tests.support.rpc import Refusal, RpcClient
from tests.support.virtual_time import in_virtual_time


async def test_node_lets_one_serve_that_was_faster(
    nats_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_module, "place_of", lambda _: nats_place)
    settings = Settings(host="127.0.0.1", port=0, data=tmp_path, cluster=ClusterSettings(servers=nats_place.servers))
    node, sockets = ClusterNode(settings), ListeningSockets()
    await node.join(sockets)
    try:
        await node.wait_for_turn(sockets)
        await node.close_port()
        other = await Opened(nats_place).serve("other", key=node._key)
        sockets = sockets.next_in_process()
        server = node.make_server(lambda: settings, sockets)
        with pytest.raises(Conflict) as late:
            await server.start()
        assert is_passing(late.value)
        await server.close()
        assert other.figures.state == "ready"
        await other.confirm_epoch()
        await other.close()
    finally:
        await node.leave()
        sockets.close_unused()
        sockets.close_kept()


async def test_users_who_wait_at_a_node_come_in_when_it_takes_over(
    nats_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If it closed their connections first, half of all users would go to another node and return."""
    monkeypatch.setattr(node_module, "place_of", lambda _: nats_place)
    settings = Settings(host="127.0.0.1", port=0, data=tmp_path, cluster=ClusterSettings(servers=nats_place.servers))
    node, sockets = ClusterNode(settings), ListeningSockets(keeps=True)
    await node.join(sockets)
    try:
        async with RpcClient(node._waiting.number) as anna:
            hello = anna.send("hello", protocol=1, name="Anna")
            await node.wait_for_turn(sockets)
            await node.close_port()
            sockets = sockets.next_in_process()
            server = node.make_server(lambda: settings, sockets)
            await server.start()
            assert not hello.done()
            assert not anna.closed.is_set()
            node.begin_accepting()
            with pytest.raises(Refusal) as moved:
                await hello
            assert (moved.value.code, moved.value.data) == ("moved", {"address": node.address})
            await anna.closed.wait()
        async with RpcClient(server.port) as anna:
            await anna.hello("Anna")
        await server.close()
    finally:
        await node.leave()
        sockets.close_unused()
        sockets.close_kept()


async def test_users_wait_in_front_of_a_node_that_takes_over_and_are_greeted_by_its_server(
    nats_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_module, "place_of", lambda _: nats_place)
    settings = Settings(host="127.0.0.1", port=0, data=tmp_path, cluster=ClusterSettings(servers=nats_place.servers))
    node, sockets = ClusterNode(settings), ListeningSockets(keeps=True)
    await node.join(sockets)
    try:
        await node.wait_for_turn(sockets)
        node._waiting.hold_users(True)
        async with RpcClient(node._waiting.number) as anna:
            coming = asyncio.ensure_future(anna.hello("Anna"))
            # As a change of the key does it: the port stays held for the other reason.
            node._waiting.hold_connections()
            node._waiting.begin_accepting()
            await node.close_port()
            sockets = sockets.next_in_process()
            server = node.make_server(lambda: settings, sockets)
            await server.start()
            node.begin_accepting()
            assert (await coming).name == "Anna"
            await server.close()
    finally:
        await node.leave()
        sockets.close_unused()
        sockets.close_kept()


async def test_node_takes_over_with_the_key_that_is_noted_while_it_begins_to(
    nats_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ended: a node that took over in the second in which the key changed had been made with the former one."""
    monkeypatch.setattr(node_module, "place_of", lambda _: nats_place)
    settings = Settings(host="127.0.0.1", port=0, data=tmp_path, cluster=ClusterSettings(servers=nats_place.servers))
    node, sockets = ClusterNode(settings), ListeningSockets()
    await node.join(sockets)
    try:
        await node.wait_for_turn(sockets)
        await node.close_port()
        sockets = sockets.next_in_process()
        server = node.make_server(lambda: settings, sockets)
        new = node._key.next_key()
        (tmp_path / SUCCESSOR).write_bytes(new.as_file())
        await note_other_key(nats_place, new)
        with pytest.raises(OtherKey) as late:
            await server.start()
        assert is_passing(late.value)
        await server.close()
        sockets = sockets.next_in_process()
        await node.wait_for_turn(sockets)
        await node.close_port()
        sockets = sockets.next_in_process()
        server = node.make_server(lambda: settings, sockets)
        await server.start()
        assert server.key.public == new.public
        await server.close()
    finally:
        await node.leave()
        sockets.close_unused()
        sockets.close_kept()


async def note_other_key(place: Place, key: ServerKey) -> None:
    """Let a cluster note another key, as `rotate-key` does once all nodes hold connections."""
    engine = Engine(place)
    await engine.connect()
    mirror = Mirror(engine, lambda _: None)
    await mirror.catch_up()
    noted = mirror.find_row(CLUSTER, KEY_ADVICE)
    assert noted is not None
    await _note_key(mirror, noted, key, Insistence(engine, engine.clock))
    await engine.close()


async def test_node_serves_no_empty_cluster_after_a_purge(
    nats_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its writes are refused then, so it steps down: and took the next epoch, as a server without tables or users."""
    monkeypatch.setattr(node_module, "place_of", lambda _: nats_place)
    settings = Settings(host="127.0.0.1", port=0, data=tmp_path, cluster=ClusterSettings(servers=nats_place.servers))
    node, sockets = ClusterNode(settings), ListeningSockets()
    await node.join(sockets)
    try:
        await node.wait_for_turn(sockets)
        await node.close_port()
        sockets = sockets.next_in_process()
        server = node.make_server(lambda: settings, sockets)
        await server.start()
        await ask_stream(nats_place, "PURGE")
        await server.close()
        sockets = sockets.next_in_process()
        turn = asyncio.ensure_future(node.wait_for_turn(sockets))
        await eventually(lambda: "has lost what this node has seen in it" in caplog.text)
        assert not turn.done()
        turn.cancel()
    finally:
        await node.leave()
        sockets.close_unused()
        sockets.close_kept()


class LateEngine(Engine):
    """An engine whose servers answer nothing for some seconds, as while they elect a leader."""

    def __init__(self, seconds: float) -> None:
        super().__init__(Place(servers=("nats://127.0.0.1:1",)), virtual_time.make_clock())
        self._from = self.clock.seconds() + seconds
        self.open_connections, self.replicas = 0, 1

    async def connect(self, *, makes_stream: bool = True) -> None:
        self.open_connections += 1
        self._answer_late()

    async def close(self) -> None:
        self.open_connections -= 1

    async def read_from(self, sequence: int, subject: str = ">", at_once: int = 0) -> AsyncIterator[Incoming]:
        self._answer_late()
        for each in ():
            yield each

    def _answer_late(self) -> None:
        if self.clock.seconds() < self._from:
            raise NoAnswer


@in_virtual_time
async def test_node_that_starts_waits_for_an_engine_that_is_reached(caplog: pytest.LogCaptureFixture) -> None:
    """It ended: so a machine that came back in the middle of an election stayed without its node."""
    engine = LateEngine(40)
    await read_at_start(engine, Mirror(engine, lambda _: None), engine.clock)
    assert engine.open_connections == 1
    assert [record.getMessage() for record in caplog.records] == [
        f"{NoAnswer().message} This node tries again for a minute."
    ]
    engine = LateEngine(1000)
    with pytest.raises(NoAnswer):
        await read_at_start(engine, Mirror(engine, lambda _: None), engine.clock)
    assert engine.clock.seconds() == pytest.approx(40 + START_SECONDS, abs=1)


async def test_waiting_node_sends_users_of_doors_on(
    nats_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A door gives up after `door_refused`: users of a node that had just been started were refused."""
    monkeypatch.setattr(node_module, "place_of", lambda _: nats_place)
    monkeypatch.setattr(standby, "ASKED_SECONDS", 0.0)
    cluster, doors = ClusterSettings(servers=nats_place.servers), DoorSettings(enabled=True)
    node = ClusterNode(Settings(host="127.0.0.1", port=0, data=tmp_path, cluster=cluster, doors=doors))
    sockets = ListeningSockets()
    await node.join(sockets)
    try:
        assert node._waiting.is_open
        TlsDoor.port = node._waiting.number
        for credential, code in ((None, "moved"), ("wrong", "door_refused")):
            more = {} if credential is None else {"credential": credential}
            async with TlsDoor(tmp_path, tmp_path / CREDENTIAL, **more) as anna:
                with pytest.raises(Refusal) as refused:
                    await anna.come("Anna")
                assert refused.value.code == code
    finally:
        await node.leave()
        sockets.close_unused()
        sockets.close_kept()


@pytest.mark.parametrize(
    ("failure", "passing"),
    [
        (Conflict("cluster", "epoch"), True),
        (NoAnswer(), True),
        (outcome_unknown(), True),
        (OtherKey("This node is not like the others of the cluster."), True),
        (JournalError("The row one of the book bans is damaged."), False),
        (OSError("Address already in use"), False),
    ],
)
def test_node_waits_again_unless_its_start_can_never_succeed(failure: Exception, passing: bool) -> None:
    assert is_passing(failure) is passing
