"""Leaving a table, leaving the lobby and stopping a hosted server are three actions; stopping asks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoville_client.session.hosting import count_other_users
from scoville_client.session.start_options import Start
from scoville_client.tui.screens.dialogs.leave import LeaveDialog, StopDialog
from tests.support.screens import NARROW, WIDE, Player, at_the_screen, play_to_the_end, port_of, start_as


def hosting(folder: Path) -> Start:
    return Start(
        kind="host", game="no_thanks", players=3, host="127.0.0.1", port=0, name="Anna", data=folder, seed=bytes(32)
    )


@pytest.fixture
async def anna(tmp_path: Path) -> AsyncIterator[Player]:
    """Anna hosts, and is in her waiting room."""
    async with at_the_screen(hosting(tmp_path)) as player:
        await player.sees("Press Enter to start")
        yield player


@asynccontextmanager
async def with_paul(anna: Player) -> AsyncIterator[Player]:
    """Connect Paul to Anna's server, and wait until her client lists him."""
    async with at_the_screen(start_as(await port_of(anna), "Paul")) as paul:
        await paul.until(lambda: paul.where == "lobby")
        await anna.until(lambda: count_other_users(anna.app.session, None) == 1)
        yield paul


def dialog(player: Player) -> type:
    return type(player.app.screen)


async def leave_running_game(player: Player) -> None:
    """Press Esc until the game asks: during a story, which a bot's move may begin at any time, Esc skips it."""
    while dialog(player) is not LeaveDialog:
        await player.press("escape")


async def to_lobby(anna: Player) -> None:
    await anna.press("escape")
    assert dialog(anna) is LeaveDialog
    await anna.press("l")
    await anna.until(lambda: anna.where == "lobby")


async def test_escape_keeps_the_hosts_seat_in_the_waiting_room(anna: Player) -> None:
    async with with_paul(anna) as paul:
        await anna.press("escape")
        await anna.sees("Your server keeps running.")
        assert "y stop" not in anna.text
        await anna.press("l")
        await anna.until(lambda: anna.where == "lobby")
        await anna.sees("You keep your seat")
        assert paul.app.session.connection.online
        await anna.press("w")
        await anna.sees("Press Enter to start")
        assert anna.app.session.table is not None
        assert anna.app.session.table.seat == 0


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["80x24", "46x19"])
async def test_the_lobby_of_the_host_says_how_others_join(tmp_path: Path, size: tuple[int, int]) -> None:
    async with at_the_screen(replace(hosting(tmp_path), host=""), size=size) as anna:
        port = await port_of(anna)
        await to_lobby(anna)
        for word in anna.app.client.join_instructions()[0].split():
            await anna.sees(word)
        assert f":{port}" in anna.text
        async with at_the_screen(start_as(port, "Paul")) as paul:
            await paul.until(lambda: paul.where == "lobby")
            assert "scoville join" not in paul.text


async def test_the_host_opens_another_table_from_her_lobby(anna: Player) -> None:
    await to_lobby(anna)
    await anna.press("c")
    await anna.sees("New table")
    await anna.press("enter")
    await anna.sees("Press Enter to start")
    await anna.until(lambda: len(anna.app.session.lobby.tables) == 2)


async def test_a_seat_that_is_given_up_leaves_the_server_running(anna: Player) -> None:
    async with with_paul(anna) as paul:
        await anna.press("escape", "g")
        await anna.until(lambda: anna.where == "lobby")
        await anna.sees("You have left the table.")
        await paul.sees_of_others("There are no tables yet")
        assert paul.app.session.connection.online


async def test_only_a_deliberate_key_stops_the_server(anna: Player) -> None:
    async with with_paul(anna) as paul:
        await to_lobby(anna)
        for key in ("enter", "space", "escape", "n", "q", "g", "l"):
            if dialog(anna) is not StopDialog:
                await anna.press("escape")
            assert dialog(anna) is StopDialog
            await anna.press(key)
            assert paul.app.session.connection.online
            assert anna.app.client.is_hosting


async def test_stopping_names_who_is_connected_and_leads_to_the_start(anna: Player) -> None:
    async with with_paul(anna) as paul:
        await to_lobby(anna)
        await anna.press("escape")
        await anna.sees("Stop your server?")
        dialog = [row.split("│")[1] for row in anna.text.splitlines() if row.count("│") >= 2]
        text = " ".join(" ".join(dialog).split())  # without what the lobby says on both sides
        assert "1 other user is connected to your server. 1 table is open." in text
        assert "when you host again" in text
        await anna.press("y")
        await anna.sees("Your server stops in 5 seconds")
        await paul.sees("The server shuts down in 5 seconds")
        assert (paul.app.session.connection.online, anna.where) == (True, "lobby")
        await anna.press("escape")
        await anna.until(lambda: anna.where == "start")
        await anna.sees("Your server has stopped.")
        await paul.sees("The server is shutting down.")


async def test_quitting_asks_where_somebody_else_is_connected(anna: Player) -> None:
    async with with_paul(anna):
        for place in ("waiting", "lobby"):
            assert anna.where == place
            await anna.press("q")
            await anna.sees("Stop your server?")
            await anna.press("n")
            assert anna.app.return_code is None
            if place == "waiting":
                await to_lobby(anna)
        await anna.press("q", "y")
        await anna.sees("Your server stops in 5 seconds")
        assert anna.app.return_code is None
        await anna.press("q")
        await anna.until(lambda: anna.app.return_code == 0)


async def test_a_server_stops_as_soon_as_everybody_else_has_left(anna: Player) -> None:
    async with with_paul(anna):
        await anna.press("q", "y")
        await anna.sees("Your server stops in 5 seconds")
        assert anna.app.return_code is None
    await anna.until(lambda: anna.app.return_code == 0)


async def test_a_second_signal_stops_the_server_at_once(anna: Player) -> None:
    async with with_paul(anna):
        anna.app.finish_games(143)
        await anna.sees("Your server stops in 5 seconds")
        assert anna.app.return_code is None
        anna.app.finish_games(143)
        await anna.until(lambda: anna.app.return_value == 143)


async def test_a_lone_idle_host_quits_at_once(anna: Player) -> None:
    await anna.press("q")
    await anna.until(lambda: anna.app.return_code == 0)


async def test_quitting_in_the_question_of_leaving_asks_once_more(anna: Player) -> None:
    async with with_paul(anna):
        await anna.press("escape", "ctrl+q")
        await anna.sees("Stop your server?")
        assert anna.app.return_code is None


async def test_a_host_leaves_a_game_for_the_lobby_and_returns(anna: Player) -> None:
    await anna.press("enter")
    await anna.until(lambda: anna.where == "play")
    await leave_running_game(anna)
    await anna.press("l")
    await anna.until(lambda: anna.where == "lobby")
    await anna.press("w")
    await anna.until(lambda: anna.where == "play")


async def test_after_a_game_the_host_comes_to_her_lobby(anna: Player) -> None:
    await anna.press("enter")
    await anna.until(lambda: anna.where == "play")
    await play_to_the_end(anna)
    await anna.press("escape")
    await anna.until(lambda: anna.where == "lobby")
    assert anna.app.client.is_hosting


async def test_a_kicked_former_host_returns_to_the_lobby(anna: Player) -> None:
    async with with_paul(anna) as paul:
        await paul.press("enter")
        await anna.sees("Paul")
        await anna.app.session.table_actions.transfer_host(anna.app.session.table.id, 1)
        await paul.sees("Press Enter to start")
        await paul.app.session.table_actions.kick_user(paul.app.session.table.id, "Anna", "")
        await anna.until(lambda: anna.where == "lobby")
        await anna.sees("The host has kicked you")
        assert anna.app.client.is_hosting
        assert paul.app.session.connection.online


async def test_hosting_from_the_start_screen_has_a_lobby_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    async with at_the_screen(Start(name="Anna", port=0)) as player:
        await player.press("h")
        await player.sees("Host a table")
        await player.press("enter")
        await player.sees("Press Enter to start")
        await to_lobby(player)
        await player.press("escape", "y")
        await player.until(lambda: player.where == "start")


async def test_who_joined_leaves_the_server_without_a_question(anna: Player) -> None:
    async with with_paul(anna) as paul:
        await paul.press("escape")
        await paul.until(lambda: paul.where == "start")
        await paul.sees("You have left 127.0.0.1:")


async def test_a_guest_quitting_a_game_learns_how_to_return(anna: Player) -> None:
    async with with_paul(anna) as paul:
        await paul.press("enter")
        await anna.sees("Paul")
        await anna.press("enter")
        await paul.until(lambda: paul.where == "play")
        await paul.press("q")
        await paul.sees("Quit Scoville?")
        await paul.sees("then a bot takes over")
        await paul.press("n")
        await leave_running_game(paul)
        await paul.sees("Leave this game?")
