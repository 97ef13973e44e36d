"""The screens at a later server of the same protocol version: a game is played, and its deal is verified."""

import asyncio

import pytest

from tests.client.plain.test_later_server import SHORT, play_along
from tests.support.hostile import LaterServer
from tests.support.live_server import LiveServer
from tests.support.screens import NARROW, WIDE, at_the_screen


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("game", SHORT)
async def test_a_game_at_a_later_server_is_verified(live_server: LiveServer, game: str, size: tuple[int, int]) -> None:
    await live_server.open_with_marie(game, options=SHORT[game])
    async with LaterServer(live_server.port) as proxy, at_the_screen(proxy.way(), size=size) as paul:
        await paul.until(lambda: paul.where == "lobby")
        await paul.press("enter")
        await paul.until(lambda: paul.where in ("waiting", "guest"))
        await live_server.marie.table_actions.start_game()
        await paul.until(lambda: paul.where == "play")
        session = paul.app.client.session
        table = session.table
        assert table is not None
        playing = asyncio.create_task(play_along(live_server))

        def advance() -> bool:
            paul.clock.advance(1)  # stories and pauses pass
            return table.result is not None or table.my_turn

        while table.result is None:
            await paul.until(advance)
            if table.my_turn and table.result is None:
                await session.play_move(table.legal_moves()[0])
        await playing

        def reads_verdict() -> bool:
            paul.clock.advance(1)
            return paul.where == "result" and "erified" in paul.text

        await paul.until(reads_verdict)
        assert "Verified: the server dealt" in " ".join(paul.text.split())
