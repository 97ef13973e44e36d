"""A server with control characters in its texts: none of them reaches the terminal."""

import pytest

from scoville_client.tui.screens.account.profile import ProfileDialog
from scoville_shared.protocol import decoding
from tests.support.hostile import EVERYTHING, PAYLOADS, HostileProxy, list_disturbances, spoil_messages
from tests.support.live_server import LiveServer
from tests.support.screens import NARROW, WIDE, Player, at_the_screen
from tests.support.terminal_screen import record_terminal

GAMES = ("dicht_dran", "no_thanks", "chilli_chase")


async def look_everywhere(paul: Player, live_server: LiveServer) -> None:
    """Open every screen of the lobby, while other users act."""
    lobby = paul.app.screen
    for key in ("p", "m", "j", "c", "question_mark", "g"):
        await paul.press(key)
        await paul.until(lambda: paul.app.screen is not lobby)
        await paul.press("down")
        if key == "p":
            await paul.press("enter")
            await paul.until(lambda: isinstance(paul.app.screen, ProfileDialog))
        while paul.app.screen is not lobby:
            await paul.press("escape")
    await live_server.marie.chat.send_message("Hello")
    await live_server.marie.chat.send_message("psst", to="Paul")
    await live_server.marie.table_actions.invite_user(await live_server.open_with_marie(), "Paul")
    await paul.until(lambda: paul.app.client.session.lobby.invitations)


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
async def test_nothing_of_a_lobby_reaches_the_terminal(live_server: LiveServer, payload: str) -> None:
    await live_server.open_with_marie()
    async with HostileProxy(live_server.port, spoil_messages(payload)) as proxy:
        with record_terminal() as tape:
            async with at_the_screen(proxy.way()) as paul:
                await paul.until(lambda: paul.where == "lobby" and paul.app.up_to_date)
                await paul.press("p", "escape")
        tape.check()


async def test_segments_are_a_second_line_of_defence(live_server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "is_harmless", lambda *_: True)
    await live_server.open_with_marie()
    async with HostileProxy(live_server.port, spoil_messages(EVERYTHING)) as proxy:
        with record_terminal() as tape:
            async with at_the_screen(proxy.way()) as paul:
                await paul.until(lambda: paul.where == "lobby" and paul.app.up_to_date)
                assert list_disturbances(paul.app.client.session.name)
                await paul.press("p", "enter", "escape")
        tape.check()


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["80x24", "46x19"])
async def test_nothing_reaches_the_terminal_wherever_one_looks(live_server: LiveServer, size: tuple[int, int]) -> None:
    async with HostileProxy(live_server.port, spoil_messages(EVERYTHING)) as proxy:
        with record_terminal() as tape:
            async with at_the_screen(proxy.way(), size=size) as paul:
                await paul.until(lambda: paul.where == "lobby" and paul.app.up_to_date)
                await look_everywhere(paul, live_server)
        tape.check()


@pytest.mark.parametrize("game", GAMES)
async def test_nothing_of_a_game_reaches_the_terminal(live_server: LiveServer, game: str) -> None:
    await live_server.open_with_marie(game)
    async with HostileProxy(live_server.port, spoil_messages(EVERYTHING)) as proxy:
        with record_terminal() as tape:
            async with at_the_screen(proxy.way()) as paul:
                await paul.until(lambda: paul.where == "lobby")
                await paul.press("enter")
                await paul.until(lambda: paul.where in ("waiting", "guest"))
                await live_server.marie.table_actions.start_game()
                await paul.until(lambda: paul.where == "play" and paul.app.up_to_date)
                await paul.press("l", "escape", "t", "escape", "enter")
                await live_server.marie.leave_table()
                await paul.press("enter", "l", "escape")
        tape.check()
        assert tape.titles
