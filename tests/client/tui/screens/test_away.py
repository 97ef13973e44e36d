"""While you were away: one screen says what happened, and w goes to what waits."""

import pytest

from scoville_client.session.client import Client
from tests.support.live_server import LiveServer, open_live_server
from tests.support.screens import NARROW, WIDE, at_the_screen


async def leave_turns(live: LiveServer, *minutes: int) -> list[str]:
    """Let Paul begin games that wait for him, with that much thinking time, and quit."""
    client = Client(live.start)
    await client.open()
    tables = []
    for each in minutes:
        table = await live.open("dicht_dran", clock={"move_ms": each * 60_000})
        tables.append(table)
        await client.session.join_table(table)
        await client.session.table_actions.start_game()
        await client.session.return_to_lobby()
    await client.close()
    return tables


@pytest.mark.parametrize("size", [NARROW, WIDE, (120, 40), (200, 50)])
async def test_one_screen_says_what_happened(size: tuple[int, int]) -> None:
    async with open_live_server() as live:
        await leave_turns(live, 60, 10, 30)
        waiting = await live.open_with_marie("no_thanks")
        await live.marie.table_actions.invite_user(waiting, "Paul")
        await live.marie.chat.send_message("Paul, play?")
        async with at_the_screen(live.start, size=size) as player:
            await player.until(lambda: player.sees_dialog("NewsDialog"))
            for words in ("While you were away", "your turn", "invitation", "Marie: Paul, play?"):
                assert words in player.text
            await player.press("escape")
            assert player.where == "play"


async def test_w_cycles_by_the_nearest_deadline() -> None:
    async with open_live_server() as live:
        slow, fast, middle = await leave_turns(live, 60, 10, 30)
        async with at_the_screen(live.start) as player:
            await player.until(lambda: player.sees_dialog("NewsDialog"))
            here = player.app.session.current_table.id
            circle = [table for table in (fast, middle, slow) if table != here]
            await player.press("w")
            for expected in (*circle, here):
                await player.until(lambda expected=expected: player.app.session.current_table.id == expected)
                await player.until(lambda: player.where == "play")
                await player.press("w")


async def test_nothing_is_said_where_nothing_happened() -> None:
    async with open_live_server() as live:
        await leave_turns(live)
        async with at_the_screen(live.start) as player:
            await player.until(lambda: player.where == "lobby")
            assert "While you were away" not in player.text
