"""Facts that contradict the table are not animated: the board shows the table as it is."""

from collections.abc import Iterable
from typing import Any

import msgpack
import pytest

from tests.support.hostile import HostileProxy
from tests.support.live_server import open_live_server
from tests.support.screens import at_the_screen

FACTS: dict[str, list[Any]] = {
    "no_thanks": [{"fact": "took", "seat": 1, "card": 9_999, "chips": -5, "run": [], "points": 0}],
    "dicht_dran": [{"fact": "revealed", "cards": []}],
    "chilli_chase": [{"fact": "point_scored", "seat": 0, "by": 1, "points": 10**6}],
}


@pytest.mark.parametrize("game", FACTS)
async def test_a_board_withstands_facts_that_cannot_be(game: str) -> None:
    def lie(message: Any) -> Iterable[bytes]:
        if message[:2] == [2, "table.event"] and "facts" in message[2][0]["event"]:
            message[2][0]["event"]["facts"] = FACTS[game]
        yield msgpack.packb(message)

    async with open_live_server() as live_server, HostileProxy(live_server.port, lie) as proxy:
        await live_server.open_with_marie(game)
        async with at_the_screen(proxy.way(), pace=1) as paul:
            await paul.until(lambda: paul.where == "lobby")
            await paul.press("enter")
            await paul.until(lambda: paul.where in ("waiting", "guest"))
            await live_server.marie.table_actions.start_game()
            await paul.until(lambda: paul.where in ("play", "story"))
            for _ in range(6):
                marie = live_server.marie
                if marie.table is not None and marie.table.my_turn:
                    await marie.play_move(marie.table.legal_moves()[0])
                await paul.press("enter", "enter")
                paul.clock.advance(1)
            assert paul.app._exception is None
            assert paul.text.strip()
