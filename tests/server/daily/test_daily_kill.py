"""The daily deal on a server that is killed: one attempt, which continues where it was."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.process import ServerProcess
from tests.support.rpc import Refusal, RpcClient

pytestmark = pytest.mark.skipif(os.name == "nt" or sys.platform == "win32", reason="Windows has no SIGKILL")


async def kill(server: ServerProcess) -> None:
    """Kill the server as an out-of-memory killer does, and start it again."""
    process = server.process
    assert process is not None
    process.send_signal(signal.SIGKILL)
    await process.communicate()
    await server.start()


async def wait_for_turn(client: RpcClient, table: str) -> dict[str, Any]:
    """Wait until the player must move or the game is over."""
    seen: dict[str, Any] = await client.call("table.poll", table=table)
    while seen["info"]["status"] == "playing" and seen["seat"] not in seen["pending"]:
        seen = await client.call("table.poll", table=table, since=seen["seq"], wait_ms=20_000)
    return seen


def own_part(seen: dict[str, Any]) -> Any:
    """Return what the player holds and has done: bots may have chosen since."""
    return seen["view"].get("hand"), seen["view"].get("chips"), seen["move_counts"][seen["seat"]]


async def play(client: RpcClient, table: str, most: int = 1_000) -> None:
    """Play at most so many moves."""
    for _ in range(most):
        seen = await wait_for_turn(client, table)
        if seen["info"]["status"] == "finished":
            return
        moves = (await client.call("table.moves", table=table))["moves"]
        await client.call("table.play", table=table, move=moves[0])


async def test_a_killed_server_gives_no_second_attempt(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "data", "--no-default-tables")
    await server.start()
    try:
        async with RpcClient(server.port) as client:
            await client.hello("Anna")
            token = client.token
            table = (await client.call("daily.play"))["info"]["table"]
            await play(client, table, 3)
            before = await wait_for_turn(client, table)
        await kill(server)
        async with RpcClient(server.port) as client:
            await client.hello(token=token)
            assert (await client.call("daily.play"))["info"]["table"] == table
            assert own_part(await wait_for_turn(client, table)) == own_part(before)
            await play(client, table)
            day = (await client.call("daily.show"))["today"]
        await kill(server)
        async with RpcClient(server.port) as client:
            await client.hello(token=token)
            with pytest.raises(Refusal, match="deal_played"):
                await client.call("daily.play", day=day)
            assert (await client.call("daily.show"))["streak"] == 1
            assert len((await client.call("daily.compare", day=day))["results"]) == 1
    finally:
        if server.process is not None:
            server.process.kill()
            await server.process.communicate()
