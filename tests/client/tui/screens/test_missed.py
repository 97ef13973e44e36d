"""What happened while the user was not here can be watched: one key begins, one key goes back to the present."""

from typing import Any

import pytest

from scoville_client.session.start_options import Start
from tests.support.screens import NARROW, WIDE, at_the_screen, port_of, start_as


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["46x19", "80x24"])
async def test_who_comes_during_a_game_watches_it_from_the_beginning(size: tuple[int, int]) -> None:
    hosted = Start(kind="host", host="127.0.0.1", port=0, name="Anna", players=3, options={"cycles": 1})
    async with at_the_screen(hosted) as anna:
        port = await port_of(anna)
        await anna.press("enter")
        await anna.until(lambda: anna.where == "play" and anna.app.session.table.my_turn)
        for moves in (1, 2):
            await anna.press("enter")
            await anna.until(lambda moves=moves: anna.app.session.table.played[0] == moves)
        await anna.until(lambda: anna.app.session.table.my_turn)
        async with at_the_screen(start_as(port, "Zoe"), size=size) as zoe:
            await zoe.sees("Anna")
            await zoe.press("enter")
            await zoe.until(lambda: zoe.where == "play" and zoe.app.session.table.missed is not None)
            at = zoe.app.session.table
            assert at.missed.moves == sum(at.played)
            await zoe.sees("moves happened: press [")
            await zoe.press("left_square_bracket")
            await zoe.until(lambda: zoe.where == "look_back")
            page: Any = zoe.app.page_stack.page
            tape = page.tape
            assert (tape.position, tape.last) == (0, sum(at.played))
            assert tape.at.view.hand == ()
            zoe.clock.advance(0.4)
            await zoe.until(lambda: tape.position > 0)
            await zoe.press("escape")
            await zoe.until(lambda: zoe.where == "play")
            assert at.missed is None
