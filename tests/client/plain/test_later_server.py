"""Line mode at a later server of the same protocol version: a game is played, and its deal is verified."""

import asyncio

import pytest

from scoville_client.session.table.move_input import name_move
from scoville_shared.ids import Seat
from tests.support.hostile import LaterServer
from tests.support.listener import Listener
from tests.support.live_server import LiveServer, open_live_server
from tests.support.server import core_of

SHORT = {"dicht_dran": {"cycles": 1}, "no_thanks": {"rounds": 1}, "chilli_chase": {"points": 3, "turn_limit": 50}}


@pytest.mark.parametrize("game", SHORT)
async def test_a_game_at_a_later_server_is_verified(game: str) -> None:
    async with open_live_server() as live_server, LaterServer(live_server.port) as proxy:
        marie = live_server.marie
        await live_server.open_with_marie(game, options=SHORT[game])
        paul = Listener(proxy.way())
        await paul.ask("join 1", "^Paul takes seat 2")
        await marie.table_actions.start_game()
        playing = asyncio.create_task(play_along(live_server))
        while not (await paul.hear("^Your turn|erified")).group().endswith("erified"):
            table = core_of(live_server.server).tables.find_table(marie.table.id if marie.table else "").table
            paul.type(name_move(table.game, table.game.moves(table.game.view(table.state, Seat(1)))[0]))
        assert any(line.startswith("Verified: ") for line in paul.said)
        await playing
        paul.type("quit")
        await paul.end()


async def play_along(live_server: LiveServer) -> None:
    """Let Marie play the first legal move whenever it is her turn."""
    marie, changed = live_server.marie, asyncio.Event()
    end = marie.subscribe(lambda _: changed.set())
    while marie.table is not None and marie.table.result is None:
        changed.clear()
        if marie.table.my_turn:
            await marie.play_move(marie.table.legal_moves()[0])
        else:
            await changed.wait()
    end()
