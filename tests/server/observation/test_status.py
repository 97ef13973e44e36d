"""The status of a server: its figures equal what clients count, and it is ready only when it can take users."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from scoville_runtime.host_status import ClusterStatus
from scoville_server.observation import status as status_module
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.support.idle import eventually
from tests.support.rpc import Refusal, RpcClient
from tests.support.server import toy_server

SERVING_NODE = ClusterStatus(name="club", epoch=1, serving="one.example:5757", connected=True, nodes=[], doubts=[])


async def played_over_tcp(server: Server, moves: int) -> int:
    """Play at one table of two over TCP, and return how many moves were acknowledged; leaves the users connected."""
    async with RpcClient(server.port) as anna, RpcClient(server.port) as ben:
        await anna.hello("Anna")
        await ben.hello("Ben")
        table = (await anna.call("table.create", game="no_thanks", seat_count=3))["info"]["table"]
        for player in (anna, ben):
            await player.call("table.join", table=table)
        await anna.call("table.start", table=table)
        made = 0
        while made < moves:
            for player in (anna, ben):
                legal = (await player.call("table.moves", table=table))["moves"]
                if legal:
                    await player.call("table.play", table=table, move=legal[0])
                    made += 1
        with pytest.raises(Refusal, match="unknown_table"):
            await anna.call("table.moves", table="nowhere")
        status = server.status.read_status()
        assert status.people.by_entrance == {"direct": 2, "ssh": 0, "web": 0, "inside": 0}
        assert status.tables.by_game["no_thanks"]["playing"] == 1
        assert status.refusals_per_minute == {"unknown_table": 1}
        return made


async def test_figures_equal_what_clients_count(tmp_path: Path) -> None:
    server = Server(Settings(port=0, host="127.0.0.1", data=tmp_path / "data"))
    await server.start()
    try:
        made = await played_over_tcp(server, 12)
        await eventually(lambda: server.status.read_status().people.total == 0)
        status = server.status.read_status()
        assert server.status.figures.requests.durations["move"].count == made
        assert server.status.figures.tables.moves["no_thanks", "player"] == made
        assert (status.hellos, status.refusals, status.games.started) == (2, 1, 1)
        assert status.ready, status.reasons
        assert status.commits is not None
        assert status.commits.writes >= made
        assert status.commits.p99_seconds >= status.commits.p50_seconds > 0
        assert status.disk is not None
        assert msgspec.json.decode(msgspec.json.encode(status), type=type(status)) == status
    finally:
        await server.close()
    assert server.status.read_status().reasons == ["closed"]


async def test_a_server_that_starts_or_drains_is_not_ready() -> None:
    server = toy_server()
    assert server.status.read_status().reasons == ["starting"]
    await server.start()
    assert server.status.read_status().ready

    hurry = asyncio.Event()
    hurry.set()
    await server.drain(hurry)

    assert server.status.read_status().reasons == ["draining"]
    await server.close()


async def test_a_full_disk_and_a_vanished_folder_are_reasons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(Settings(data=tmp_path / "data"))
    await server.start()
    try:
        with monkeypatch.context() as patch:
            patch.setattr(status_module, "FULL_BYTES", 2**80)
            assert server.status.read_status().reasons == ["disk_full"]
            patch.setattr(server.status, "gauges", server.status.gauges._replace(cluster=lambda: SERVING_NODE))
            assert server.status.read_status().ready, "a node of a cluster saves nothing on this disk"
        assert server.status.read_status().ready
        (tmp_path / "data").rename(tmp_path / "elsewhere")
        assert server.status.read_status().reasons == ["folder_lost"]
        (tmp_path / "elsewhere").rename(tmp_path / "data")
    finally:
        await server.close()
