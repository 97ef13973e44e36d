"""Watching on a television: from the waiting room to the result and the rematch, without a key."""

from typing import Any

import pytest

from scoville_client.session.session import Session
from scoville_client.session.spectating import busiest_table
from scoville_client.session.start_options import Start
from scoville_client.tui.boards.board import Board
from scoville_client.tui.screens.watch import RESULT_SECONDS
from scoville_shared.protocol.messages import SeatInfo, TableInfo, TableSettings
from tests.support.idle import eventually
from tests.support.live_server import LiveServer
from tests.support.proxy import Proxy
from tests.support.screens import Player, at_the_screen

LOCAL = "127.0.0.1"
TELEVISION = (120, 40)


def television(port: int, code: str = "") -> Start:
    return Start(kind="join", watching=True, big=True, host=LOCAL, port=port, code=code)


async def play_out(player: Session) -> None:
    """Play first legal moves against bots until the game is over."""
    at = player.table
    assert at is not None
    while at.result is None:
        await eventually(lambda: at.my_turn or at.result is not None, lambda: f"event {at.seq}")
        if at.my_turn:
            await player.play_move(at.legal_moves()[0])


async def shows(player: Player, stage: str) -> None:
    await player.until(lambda: getattr(player.app.page_stack.page, "_stage", "") == stage and player.app.up_to_date)


@pytest.fixture
async def table(live_server: LiveServer) -> str:
    """The code of a table of Marie's, with one cycle and two seats."""
    await live_server.open_with_marie("dicht_dran", 2, options={"cycles": 1})
    return live_server.marie.table.info.code or ""


async def test_a_television_follows_a_table_through_the_rematch(live_server: LiveServer, table: str) -> None:
    async with at_the_screen(television(live_server.port, table), size=TELEVISION) as player:
        await shows(player, "waiting")
        assert player.app.session.table.seat is None
        await live_server.marie.table_actions.start_game()
        await shows(player, "play")
        board = player.app.page_stack.page.query_one(Board)
        assert board.big
        assert player.app.session.table.view.hand == ()
        await play_out(live_server.marie)
        await shows(player, "result")
        first = player.app.session.table.id
        await live_server.marie.join_rematch()
        await player.until(lambda: player.app.session.table.notes.next is not None)
        player.clock.advance(RESULT_SECONDS - 0.1)
        await player.pilot.pause()
        assert player.app.session.table.id == first
        player.clock.advance(0.2)
        await shows(player, "waiting")
        assert player.app.session.table.id == live_server.marie.table.id != first


async def test_q_leaves_at_once_in_the_middle_of_a_game(live_server: LiveServer, table: str) -> None:
    async with at_the_screen(television(live_server.port, table), size=TELEVISION) as player:
        await shows(player, "waiting")
        await live_server.marie.table_actions.start_game()
        await shows(player, "play")
        await player.pilot.press("q")
        await player.until(lambda: player.app._exit)
        assert player.app.return_code == 0


async def test_without_a_code_it_takes_the_next_public_table(live_server: LiveServer) -> None:
    async with at_the_screen(television(live_server.port), size=TELEVISION) as player:
        await shows(player, "none")
        await live_server.open_with_marie("no_thanks", 3, settings={"private": True})
        opened = await live_server.open_with_marie("dicht_dran", 2)
        await shows(player, "waiting")
        assert player.app.session.table.id == opened


async def test_without_a_code_it_goes_on_soon_after_an_end(live_server: LiveServer) -> None:
    async with at_the_screen(television(live_server.port), size=TELEVISION) as player:
        await shows(player, "none")
        first = await live_server.open_with_marie("dicht_dran", 2, options={"cycles": 1})
        await live_server.marie.table_actions.start_game()
        await shows(player, "play")
        await play_out(live_server.marie)
        await shows(player, "result")
        await live_server.marie.leave_table()
        other = await live_server.open_with_marie("no_thanks", 3)
        player.clock.advance(3)
        await shows(player, "waiting")
        assert player.app.session.table.id == other != first


async def test_a_wrong_code_is_asked_for_again(live_server: LiveServer, table: str) -> None:
    async with at_the_screen(television(live_server.port, "no-such"), size=TELEVISION) as player:
        await player.sees("Join by code")
        await player.press(*["backspace"] * len("no-such"), *["minus" if sign == "-" else sign for sign in table])
        await player.press("enter")
        await shows(player, "waiting")


async def test_a_password_is_asked_for(live_server: LiveServer) -> None:
    await live_server.open_with_marie("dicht_dran", 2, password="mild")
    async with at_the_screen(
        television(live_server.port, live_server.marie.table.info.code or ""), size=TELEVISION
    ) as player:
        await player.sees("This table has a password")
        await player.press(*"mild", "enter")
        await shows(player, "waiting")


async def test_a_lost_connection_comes_back_at_the_same_table(live_server: LiveServer, table: str) -> None:
    async with (
        Proxy(live_server.port) as proxy,
        at_the_screen(television(proxy.port, table), size=TELEVISION) as player,
    ):
        await shows(player, "waiting")
        proxy.cut()
        await player.sees("is lost; reconnecting")
        await live_server.marie.table_actions.start_game()
        proxy.mend()
        player.clock.advance(1)
        await shows(player, "play")


async def test_a_forgetful_server_shows_the_table_again(live_server: LiveServer) -> None:
    """A private table admits only users who have shown its code, and after a restart this one has not."""
    opened = await live_server.open_with_marie("dicht_dran", 2, settings={"private": True})
    code = live_server.marie.table.info.code or ""
    async with (
        Proxy(live_server.port) as proxy,
        at_the_screen(television(proxy.port, code), size=TELEVISION) as player,
    ):
        await shows(player, "waiting")
        proxy.cut()
        await player.sees("is lost; reconnecting")
        player.app.session.connection.token = ""
        proxy.mend()
        player.clock.advance(1)
        await player.until(lambda: player.app.session.connection.online and player.app.session.connection.token)
        await shows(player, "waiting")
        assert player.app.session.table.id == opened


@pytest.mark.parametrize(
    ("tables", "chosen"),
    [
        ([], None),
        ([(1, "waiting", {}), (2, "playing", {}), (3, "waiting", {})], 1),
        ([(1, "playing", {}), (2, "playing", {})], 1),
        ([(0, "waiting", {}), (2, "finished", {})], None),
        ([(2, "playing", {"private": True}), (2, "playing", {"spectating": "nobody"})], None),
    ],
)
def test_the_busiest_open_table_is_watched(tables: list[tuple[int, str, dict[str, Any]]], chosen: int | None) -> None:
    listed = [info(*each) for each in tables]
    assert busiest_table(listed) == (None if chosen is None else listed[chosen])


def info(people: int, status: str, settings: dict[str, Any]) -> TableInfo:
    seats = [SeatInfo(name="Anna", kind="human", connected=True)] * people + [SeatInfo(name="", kind="open")]
    about: Any = {"table": "t", "game": "no_thanks", "rules_version": 1, "options": {}, "commitment": "00" * 32}
    return TableInfo(**about, host=0, status=status, seats=seats, settings=TableSettings(**settings))  # type: ignore[arg-type]
