"""A client in JavaScript, written from docs/protocol.md: it finds a table, plays, chats and spectates."""

import asyncio
import json
import shutil
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from typing import Any

import pytest

from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.games.registry import list_slugs
from tests.e2e.kill.players import SHORT
from tests.support.rpc import RpcClient
from tests.support.tree import ROOT

NODE = shutil.which("node") or ""
pytestmark = pytest.mark.skipif(not NODE, reason="There is no Node on this machine, so its player was not tried.")


@pytest.fixture
async def port() -> AsyncIterator[int]:
    server = Server(Settings(host="127.0.0.1", port=0))
    await server.start()
    yield server.port
    await server.close()


async def node(port: int, code: str, *more: str) -> Process:
    """Start the player in JavaScript."""
    program = str(ROOT / "examples/player.mjs")
    return await asyncio.create_subprocess_exec(NODE, program, "127.0.0.1", str(port), code, *more, stdout=PIPE)


async def read_notice(process: Process, what: str) -> dict[str, Any]:
    """Read what it prints, up to the line with this key."""
    assert process.stdout is not None
    line: dict[str, Any] = {}
    while what not in line:
        line = json.loads(await process.stdout.readline())
    return line


async def play_out(anna: RpcClient, table: str, seat: int) -> dict[str, Any]:
    """Play one's own seat to the end; returns the last event."""
    seen: dict[str, Any] = await anna.call("table.poll", table=table)
    while seen["info"]["status"] != "finished":
        if seat in seen["pending"]:
            moves = (await anna.call("table.moves", table=table))["moves"]
            await anna.call("table.play", table=table, move=moves[0], nth=seen["move_counts"][seat])
        seen = await anna.call("table.poll", table=table, since=seen["seq"], wait_ms=20_000)
    end: dict[str, Any] = seen["events"][-1]
    return end


@pytest.mark.parametrize("game", list_slugs())
async def test_a_javascript_program_plays_while_another_watches(port: int, game: str) -> None:
    async with RpcClient(port) as anna:
        await anna.hello("Anna")
        params = {"game": game, "seat_count": 3, "options": SHORT[game], "settings": {"private": True, "start": "host"}}
        info = (await anna.call("table.create", **params))["info"]
        table = info["table"]
        seat = (await anna.call("table.join", table=table))["seat"]
        await anna.call("chat.say", table=table, text="Who comes?")
        player, watcher = await node(port, info["code"]), await node(port, info["code"], "watch")
        sits, looks = await read_notice(player, "seat"), await read_notice(watcher, "seat")
        await anna.call("table.start", table=table)
        end = await play_out(anna, table, seat)
        out = [(await process.communicate())[0].decode() for process in (player, watcher)]
        kept = (await anna.call("chat.read", channel="table", table=table))["messages"]

    assert (sits["seat"], looks["seat"]) == (1, None)
    assert sits["history"][0] == looks["history"][0] == "Who comes?"
    assert {line["text"] for line in kept} == {"Who comes?", "Good luck!", "I am watching."}
    for lines in out:
        seen = {key: value for line in lines.splitlines() for key, value in json.loads(line).items()}
        assert (seen["scores"], seen["places"]) == (end["scores"], end["places"])
        assert seen["seq"] == end["seq"]
        assert seen["moves"] > 0
    assert (player.returncode, watcher.returncode) == (0, 0)


async def ran(*program: str) -> tuple[int | None, str, str]:
    """Run a program in JavaScript; return its exit code and what it printed."""
    process = await asyncio.create_subprocess_exec(NODE, *program, stdout=PIPE, stderr=PIPE, cwd=ROOT)
    out, errors = await process.communicate()
    return process.returncode, out.decode(), errors.decode()


@pytest.mark.parametrize("game", list_slugs())
async def test_every_message_of_a_whole_game_fits_the_schema(port: int, game: str) -> None:
    code, out, errors = await ran("examples/validating_player.mjs", "127.0.0.1", str(port), game)

    assert (code, errors) == (0, "")
    end = json.loads(out)
    assert min(end["places"]) == 1
    assert all(number > 0 for number in end["validated"].values())


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"seq": "7"}, "it.seq is string, not integer"),
        ({}, "it.seq is missing"),
        ({"seq": 7}, ""),
        ({"seq": 7, "more": 1}, ""),
    ],
)
async def test_the_example_finds_messages_that_do_not_fit(message: dict[str, Any], said: str) -> None:
    program = "import('./examples/schema.mjs').then(({ faults }) => console.log(faults(JSON.parse(process.argv[1]), "
    program += "{ $ref: '#/types/PlayReply' }).join()))"
    assert await ran("-e", program, json.dumps(message)) == (0, f"{said}\n", "")
