"""The example of docs/bots.md: three of it find a private table by its code, and play a whole game."""

import asyncio
import sys

import pytest

from scoville_server.config import Settings
from scoville_server.server import Server
from scoville_shared.games.registry import slugs
from tests.e2e.kill.players import SHORT
from tests.support.rpc import RpcClient
from tests.support.tree import ROOT


@pytest.mark.parametrize("game", slugs())
async def test_the_example_sits_down_by_a_code_and_plays_to_the_end(game: str) -> None:
    server = Server(Settings(host="127.0.0.1", port=0))
    await server.start()
    async with RpcClient(server.port) as anna:
        await anna.hello("Anna")
        settings = {"private": True, "start": "full", "countdown_ms": 0}
        wish = {"game": game, "seat_count": 3, "options": SHORT[game], "settings": settings}
        info = (await anna.call("table.create", **wish))["info"]
        call = (sys.executable, str(ROOT / "examples/bot.py"), "127.0.0.1", str(server.port), info["code"])
        bots = [await asyncio.create_subprocess_exec(*call) for _ in range(3)]
        assert [await bot.wait() for bot in bots] == [0, 0, 0]
        end = (await anna.call("table.poll", table=info["table"]))["events"]
    await server.close()
    assert {event["mover"] for event in end if event["kind"] == "played"} == {"player"}
    assert next(event for event in end if event["kind"] == "finished")["places"].count(1) >= 1
