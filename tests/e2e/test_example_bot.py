"""The example bot of docs/bots.md: three of them find a private table by its code and play a game."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.games.registry import list_slugs
from tests.e2e.kill.players import SHORT
from tests.support.rpc import RpcClient
from tests.support.tree import ROOT
from tests.support.wire_page import code_block


@pytest.mark.parametrize("game", list_slugs())
async def test_the_example_joins_by_code_and_finishes(game: str) -> None:
    server = Server(Settings(host="127.0.0.1", port=0))
    await server.start()
    async with RpcClient(server.port) as anna:
        await anna.hello("Anna")
        settings = {"private": True, "start": "full", "countdown_ms": 0}
        params = {"game": game, "seat_count": 3, "options": SHORT[game], "settings": settings}
        info = (await anna.call("table.create", **params))["info"]
        call = (sys.executable, str(ROOT / "examples/bot.py"), "127.0.0.1", str(server.port), info["code"])
        bots = [await asyncio.create_subprocess_exec(*call) for _ in range(3)]
        assert [await bot.wait() for bot in bots] == [0, 0, 0]
        end = (await anna.call("table.poll", table=info["table"]))["events"]
    await server.close()
    assert {event["mover"] for event in end if event["kind"] == "played"} == {"player"}
    assert next(event for event in end if event["kind"] == "finished")["places"].count(1) >= 1


@pytest.mark.parametrize("game", list_slugs())
async def test_the_program_of_the_protocol_page_plays_a_whole_game(game: str, tmp_path: Path) -> None:
    program = tmp_path / "page.py"
    program.write_text(code_block("python"), encoding="utf-8")
    server = Server(Settings(host="127.0.0.1", port=0))
    await server.start()
    call = (sys.executable, str(program), "127.0.0.1", str(server.port), game)
    process = await asyncio.create_subprocess_exec(*call, stdout=PIPE, stderr=PIPE)
    out, errors = await process.communicate()
    await server.close()
    assert (process.returncode, errors) == (0, b"")
    assert out.startswith(b"scores [")
