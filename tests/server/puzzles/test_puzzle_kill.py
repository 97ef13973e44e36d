"""Puzzles on a server that is killed: the attempt stays, and nobody gets a second one."""

import os
import sys
from pathlib import Path

import pytest

from tests.server.daily.test_daily_kill import kill
from tests.support.process import ServerProcess
from tests.support.rpc import RpcClient

pytestmark = pytest.mark.skipif(os.name == "nt" or sys.platform == "win32", reason="Windows has no SIGKILL")


async def test_a_killed_server_gives_no_second_attempt_at_a_puzzle(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "data", "--no-default-tables")
    await server.start()
    try:
        async with RpcClient(server.port) as client:
            await client.hello("Anna")
            token = client.token
            posed = (await client.call("puzzle.pose", game="no_thanks"))["posed"]
            assert "choices" not in posed
            first = await client.call("puzzle.answer", puzzle=posed["id"], move={"action": "take"})
            daily = (await client.call("puzzle.pose", daily=True))["posed"]
        await kill(server)
        async with RpcClient(server.port) as client:
            await client.hello(token=token)
            assert await client.call("puzzle.answer", puzzle=posed["id"], move={"action": "pass"}) == first
            assert (await client.call("puzzle.show"))["attempt_count"] == 1
            assert (await client.call("puzzle.pose", daily=True))["posed"] == daily
            assert (await client.call("puzzle.pose"))["posed"]["id"] != posed["id"]
    finally:
        if server.process is not None:
            server.process.kill()
            await server.process.communicate()
