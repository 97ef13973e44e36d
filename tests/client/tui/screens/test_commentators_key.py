"""The commentators' key and its explanation are shown to the table's creator only."""

from pathlib import Path

import pytest

from scoville_client.session.start_options import Start
from tests.support.live_server import LiveServer
from tests.support.screens import NARROW, WIDE, at_the_screen


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=str)
async def test_hosts_read_the_code_before_and_during_a_game(live_server: LiveServer, size: tuple[int, int]) -> None:
    async with at_the_screen(live_server.start, size=size) as paul:
        await paul.until(lambda: paul.where == "lobby")
        session = paul.app.session
        info = await session.lobby.create_table("no_thanks", 3, settings={"commentary": True})
        key = session.lobby.commentary_keys[info.table]
        await session.join_table(info.table)
        await paul.app.navigation.open_table()
        await paul.until(lambda: key in paul.text.replace("\n", ""))
        await paul.sees("The commentators' key:")
        await paul.press("o")
        await paul.until(lambda: paul.where == "")
        assert key in paul.text


async def test_others_read_no_key(live_server: LiveServer) -> None:
    table = await live_server.open("no_thanks", 3, settings={"commentary": True})
    await live_server.marie.join_table(table)
    async with at_the_screen(live_server.start) as paul:
        await paul.until(lambda: paul.where == "lobby")
        await paul.press("enter")
        await paul.sees("Marie is the host")
        assert "commentators' key" not in paul.text
        await paul.press("o")
        await paul.sees("At this table")
        assert "commentators' key" not in paul.text


async def test_a_host_who_comes_back_later_reads_the_key_again(tmp_path: Path) -> None:
    start = Start(
        kind="host", game="no_thanks", players=3, port=0, name="Anna", data=tmp_path, settings={"commentary": True}
    )
    keys = set()
    for _ in range(2):
        async with at_the_screen(start) as anna:
            await anna.sees("The commentators' key:")
            at = anna.app.session.table
            assert at is not None
            keys.add(anna.app.session.lobby.commentary_keys[at.id])
            assert next(iter(keys)) in anna.text.replace("\n", "")
    assert len(keys) == 1
