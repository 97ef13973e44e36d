"""The short forms of `scripts/cluster --measure` and `scripts/kill --cluster`: a serving node ends, nothing is lost."""

import asyncio
import random
import signal
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgpack
import pytest

from scoville_shared.games.registry import list_slugs
from tests.e2e.cluster.__main__ import Faults, load_through, measure_waits, run_cluster
from tests.e2e.cluster.all_serve import measure_spread
from tests.e2e.cluster.load import LoadPlayer, _open_line
from tests.e2e.cluster.served import ServedCluster
from tests.e2e.kill.instants import Crowd
from tests.support.nats_server import BINARY, MISSING


class Engines:
    """The servers of NATS of a cluster, and the numbers of those that ended and were started."""

    def __init__(self) -> None:
        self.engines: list[Any] = [Engine(self, number) for number in range(3)]
        self.ended: list[int] = []
        self.started: list[int] = []

    def start_engine(self, number: int) -> Any:
        self.started.append(number)
        return self.engines[number]


class Engine:
    def __init__(self, cluster: Engines, number: int) -> None:
        self.cluster, self.number = cluster, number

    def send(self, number: signal.Signals) -> None:
        assert number == signal.SIGKILL
        self.cluster.ended.append(self.number)

    def wait(self, seconds: float) -> None:
        """It has ended."""


async def test_leader_is_lost_only_once_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the last server would be started as number -1, with an empty folder, and its own one be lost for good."""
    found = iter([-1, 1, 1, 2])
    cluster = Engines()
    faults = Faults(cluster)

    async def find_leader() -> int:
        return next(found)

    monkeypatch.setattr(faults, "_find_leader", find_leader)
    await faults.fail("leader")
    assert (cluster.ended, cluster.started) == ([1], [1])


class Unstarted:
    """A cluster that starts nothing, and gets the `ways` by which nodes reach the servers of NATS."""

    nats_ports = (1, 2, 3)

    def __init__(self, *_: Any, **__: Any) -> None:
        self.ways: dict[int, list[int]] = {}

    def start(self) -> None:
        """There is nothing to start."""

    def stop(self) -> None:
        """There is nothing to stop."""


@pytest.mark.parametrize("cuts", [False, True])
async def test_nodes_reach_the_engine_through_the_loop_of_players_only_to_be_cut_off(
    monkeypatch: pytest.MonkeyPatch, cuts: bool
) -> None:
    """All that a node reads and writes waited for 900 players, so that some takeovers seemed to last 0.7 s longer."""
    monkeypatch.setattr("tests.e2e.cluster.__main__.load_cluster", lambda: SimpleNamespace(Cluster=Unstarted))
    async with run_cluster([], cuts=cuts) as (cluster, _, _):
        assert [len(ports) for ports in cluster.ways.values()] == ([3] * 3 if cuts else [])


class Node(asyncio.Protocol):
    """A node that hangs, or one that serves: it wants a hello before anything else."""

    def __init__(self, *, hangs: bool) -> None:
        self._hangs = hangs

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        if not self._hangs:
            _, number, *_ = msgpack.unpackb(data)
            self._transport.write(msgpack.packb((1, number, {"code": "hello_first", "message": "Say hello."}, None)))


async def test_players_who_only_watch_leave_a_node_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    """They noticed nothing until it woke, so their tables stood still: nobody was asked to move by then."""
    monkeypatch.setattr("tests.e2e.cluster.load.SILENT_SECONDS", 0.01)
    monkeypatch.setattr("tests.e2e.cluster.load._PING_SECONDS", 0.01)
    listen = asyncio.get_running_loop().create_server
    nodes = [await listen(partial(Node, hangs=hangs), "127.0.0.1", 0) for hangs in (True, False)]
    ports = [node.sockets[0].getsockname()[1] for node in nodes]
    player = LoadPlayer("Anna", "127.0.0.1", ports, 1.0, random.Random(1))
    player._port = ports[0]
    line = await _open_line(ports[0], "127.0.0.1", lambda _: None)
    assert await player._wait_for_end(line) == ""
    assert line.over.done()
    for node in nodes:
        node.close()


@pytest.mark.skipif(not BINARY.exists(), reason=MISSING)
async def test_players_play_through_the_end_of_the_serving_node() -> None:
    found = await measure_waits(players=4, ways=["kill", "stop", "machine"], rest=1.0, pause=0.02)
    print(found.outages)
    assert [outage.how for outage in found.outages] == ["kill", "stop", "machine"]
    assert all(each.waits for each in found.played)
    assert [(each.lost, each.doubled) for each in found.played] == [(0, 0)] * 4
    assert [each.refused for each in found.played] == [[]] * 4


@pytest.mark.skipif(not BINARY.exists(), reason=MISSING)
async def test_tables_of_a_killed_node_are_served_by_the_others() -> None:
    found = await measure_spread(tables=6, rate=15, ways=["kill"], rest=1.0, seed=1)
    [fault] = found.faults
    assert sum(found.tables.values()) == 6
    assert fault.adopted == fault.own > 0
    loaded = found.loaded
    assert (loaded.lost, loaded.doubled, loaded.refused) == (0, 0, [])
    assert loaded.acknowledged > 6 * 3


@pytest.mark.skipif(not BINARY.exists(), reason=MISSING)
async def test_table_with_a_hole_is_not_served() -> None:
    # Slowly: the table must not be over before the next node reads it.
    found = await measure_waits(players=2, ways=["hole"], rest=2.0, pause=0.4)
    assert len(found.damaged) == 1
    # The other one goes on, and nobody else is troubled.
    assert max(len(each.waits) for each in found.played) > 2
    assert [(each.lost, each.doubled) for each in found.played] == [(0, 0)] * 2


@pytest.mark.skipif(not BINARY.exists(), reason=MISSING)
async def test_cluster_that_is_killed_and_stopped_has_all_that_it_acknowledged(tmp_path: Path) -> None:
    served = ServedCluster(tmp_path, others_sleep=True)
    await served.start()
    try:
        crowd = Crowd(served, list_slugs(), tables=3, seed=4)
        await crowd.play(kills=1, moves_between=30)
        assert crowd.moves > 30
        served.wake_others()
        cluster = served.cluster
        found, _ = await load_through(cluster, Faults(cluster), tables=4, rate=20, ways=["stop"], rest=1.0, seed=1)
    finally:
        complaints = await served.stop()
    assert (found.lost, found.doubled, found.refused) == (0, 0, [])
    assert found.acknowledged > 10
    assert all(len(returns) > 1 for returns in found.returns)
    assert complaints == ""
