"""While you were away: results, invitations, messages and turns that came since, in the order of their urgency."""

import pytest

from scoville_client.i18n.news_text import time_left_text
from scoville_client.session.news import gather_news, is_for_user
from scoville_client.session.session import Session
from scoville_client.transport.in_process import LocalLink
from scoville_shared.protocol.messages import MessageInfo
from tests.support.live_server import LiveServer, open_live_server


async def come_back(live: LiveServer, token: str) -> Session:
    session = Session()
    session.connection.token = token
    await session.connect(LocalLink(live.server), "Paul")
    await session.lobby.watch_lobby()
    return session


async def test_news_are_gathered() -> None:
    async with open_live_server() as live:
        paul = await live.connect_user("Paul")
        tables = []
        for minutes in (30, 5):
            table = await live.open("no_thanks", clock={"move_ms": minutes * 60_000})
            tables.append(table)
            await paul.join_table(table)
            await paul.table_actions.start_game()
            await paul.return_to_lobby()
        token = paul.connection.token
        await paul.chat.send_message("Paul was here")
        await paul.close()
        waiting = await live.open_with_marie("dicht_dran")
        await live.marie.table_actions.invite_user(waiting, "Paul")
        await live.marie.chat.send_message("Is paul back?")
        await live.marie.chat.send_message("Pauline is not meant.")
        await live.marie.chat.send_message("Come to my table", to="Paul")
        again = await come_back(live, token)
        news = await gather_news(again)
        assert news is not None
        mine = [table for table in reversed(tables) if table in {each.table for each in again.lobby.waiting_for_me}]
        assert [table.table for table in news.turns] == mine
        assert [each.info.table for each in news.invitations] == [waiting]
        assert [line.text for line in news.messages] == ["Is paul back?", "Come to my table"]
        assert news.results == []
        await again.close()


async def test_newcomers_have_missed_nothing() -> None:
    async with open_live_server() as live:
        paul = await live.connect_user("Paul")
        assert await gather_news(paul) is None
        await paul.close()


@pytest.mark.parametrize(
    ("name", "text", "meant"),
    [
        ("Anna", "anna, play!", True),
        ("Anna", "Annabel plays", False),
        ("Zoë", "where is zoë?", True),
        ("a.b", "axb", False),
    ],
)
def test_whole_names_are_mentions(name: str, text: str, meant: bool) -> None:
    line = MessageInfo(number=1, at_ms=1, channel="lobby", name="Ben", text=text)
    assert is_for_user(line, name) == meant


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (float("inf"), ""),
        (-3, "0 seconds left"),
        (1.9, "1 second left"),
        (119, "119 seconds left"),
        (121, "2 minutes left"),
        (3 * 3600, "3 hours left"),
        (90 * 3600, "3 days left"),
    ],
)
def test_time_left_is_in_its_largest_unit(seconds: float, text: str) -> None:
    assert time_left_text(seconds) == text
