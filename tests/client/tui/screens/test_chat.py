"""Chat during a game: the panel, unread messages, and who may write."""

import pytest
from textual.widgets import Input

from scoville_client.tui.screens.chat.panel import ChatPanel
from tests.support.live_server import LiveServer
from tests.support.screens import NARROW, WIDE, Player, at_the_screen

sizes = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["80x24", "46x19"])


async def talking(paul: Player) -> Input:
    await paul.press("g")
    await paul.until(lambda: isinstance(paul.app.screen, ChatPanel) and paul.app.screen.query(Input))
    return paul.app.screen.query_one(Input)


async def type_in(paul: Player, text: str) -> None:
    line = paul.app.screen.query_one(Input)
    line.value = text
    await paul.press("enter")


async def in_the_lobby(paul: Player) -> None:
    await paul.until(lambda: paul.where == "lobby")
    await paul.sees("you are Paul")


@sizes
async def test_lobby_chat_appears_with_its_author(live_server: LiveServer, size: tuple[int, int]) -> None:
    async with at_the_screen(live_server.start, size=size) as paul:
        await in_the_lobby(paul)
        await talking(paul)
        await paul.sees("There are no messages yet.")
        await type_in(paul, "Hello there")
        await paul.sees("Paul: Hello there")
        await paul.until(lambda: [line.text for line in live_server.marie.chat.lines_of("lobby")] == ["Hello there"])
        await live_server.marie.chat.send_message("Hi [b]Paul[/b]")
        await paul.sees("Marie: Hi [b]Paul[/b]")
        mine, hers = (row for row in paul.text.splitlines() if "Paul: " in row or "Marie: " in row)
        assert "▸" in mine
        assert "▸" not in hers
        await paul.press("escape")
        assert paul.where == "lobby"


@sizes
async def test_new_chat_shows_above_the_keys_until_read(live_server: LiveServer, size: tuple[int, int]) -> None:
    async with at_the_screen(live_server.start, size=size) as paul:
        await in_the_lobby(paul)
        await live_server.marie.chat.send_message("Who plays with me? " * 9)
        await paul.sees("Marie: Who plays with me?")
        rows = paul.text.splitlines()
        assert "Marie: Who plays with me?" in rows[-2]
        assert "g 1 new" in rows[-1]
        await talking(paul)
        await paul.press("escape")
        assert "1 new" not in paul.text


async def test_refused_chat_stays_typed(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start) as paul:
        await in_the_lobby(paul)
        await talking(paul)
        await paul.press("h", "e", "q", "escape")
        line = await talking(paul)
        assert line.value == "heq"
        await type_in(paul, "/w Nobody you there?")
        await paul.sees("Nobody called 'Nobody' is known here.")
        assert line.value == "/w Nobody you there?"
        await type_in(paul, "/dance")
        await paul.sees("There is no command '/dance' here.")


async def test_a_whisper_opens_a_room_of_its_own(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start) as paul:
        await in_the_lobby(paul)
        await live_server.marie.chat.send_message("Psst", to="Paul")
        await paul.sees("Marie (private): Psst")
        line = await talking(paul)
        await paul.sees("[Marie]")
        assert "Marie: Psst" in paul.text
        assert line.placeholder == "Private message to Marie"
        await type_in(paul, "What?")
        await paul.until(
            lambda: [each.text for each in live_server.marie.chat.lines_of("whisper")] == ["Psst", "What?"]
        )
        await paul.press("tab")
        await paul.sees("[Lobby]")
        assert "Psst" not in paul.text


async def test_an_ignored_user_vanishes_at_once_with_their_reactions(live_server: LiveServer) -> None:
    table = await live_server.open_with_marie(seats=2)
    async with at_the_screen(live_server.start) as paul:
        await in_the_lobby(paul)
        await paul.press("enter")
        await paul.until(lambda: paul.where == "waiting")
        await live_server.marie.chat.send_reaction(table, "well played")
        await paul.sees("Marie: Well played!")
        await live_server.marie.chat.send_message("Lousy weather", table=table)
        await paul.sees("Marie: Lousy weather")
        await talking(paul)
        await paul.sees("[This table]")
        await type_in(paul, "/ignore Marie")
        await paul.sees("You are ignoring Marie.")
        assert "Lousy weather" not in paul.text
        await paul.press("escape")
        await live_server.marie.chat.send_reaction(table, "hurry")
        await live_server.marie.chat.send_message("Still here", table=table)
        await paul.app.session.chat.send_message("Quiet, isn't it", table=table)
        await paul.pilot.pause()
        assert "Hurry" not in paul.text
        assert "Still here" not in paul.text


async def test_a_reaction_is_one_key_and_a_digit(live_server: LiveServer) -> None:
    heard: list[object] = []
    live_server.marie.subscribe(heard.append)
    await live_server.open_with_marie(seats=2)
    async with at_the_screen(live_server.start) as paul:
        await in_the_lobby(paul)
        await paul.press("enter")
        await paul.until(lambda: paul.where == "waiting")
        await paul.press("e")
        await paul.sees("3 Well played!")
        await paul.press("3")
        await paul.until(lambda: any(getattr(change, "reaction", "") == "well played" for change in heard))
        assert paul.where == "waiting"


async def test_a_spectator_learns_that_they_may_only_read(live_server: LiveServer) -> None:
    await live_server.open_with_marie(seats=2, settings={"spectators_talk": False})
    await live_server.marie.table_actions.start_game()
    async with at_the_screen(live_server.start) as paul:
        await in_the_lobby(paul)
        await paul.press("enter")
        await paul.until(lambda: paul.where == "play")
        await paul.press("g")
        await paul.sees("Only players can chat")
        assert not paul.app.screen.query_one(Input).display


async def test_messages_of_a_spectator_are_marked(live_server: LiveServer) -> None:
    await live_server.open_with_marie(seats=2, settings={"spectators_talk": True})
    await live_server.marie.table_actions.start_game()
    async with at_the_screen(live_server.start) as paul:
        await in_the_lobby(paul)
        await paul.press("enter")
        await paul.until(lambda: paul.where == "play")
        await talking(paul)
        await type_in(paul, "Nice view")
        await paul.sees("Paul (spectator): Nice view")


async def test_tab_completes_names_or_switches_channels(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start) as paul:
        await in_the_lobby(paul)
        line = await talking(paul)
        await paul.press("/", "w", "space", "m", "tab")
        await paul.until(lambda: line.value == "/w Marie ")
        await paul.press(*"hi", "enter")
        await paul.sees("Paul: hi")
        before = paul.app.conversations.room
        await paul.press("tab")
        await paul.until(lambda: paul.app.conversations.room != before)


async def test_commands_lead_to_a_table_and_back(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start) as paul:
        await in_the_lobby(paul)
        await talking(paul)
        await type_in(paul, "/create no_thanks 3")
        await paul.until(lambda: paul.where == "waiting")
        await talking(paul)
        await type_in(paul, "/about")
        await paul.sees("No Thanks!, waiting: Paul, 2 seats free")
        await type_in(paul, "/lobby")
        await paul.until(lambda: paul.where == "lobby")


async def test_the_palette_finds_commands_without_a_key(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start) as paul:
        await in_the_lobby(paul)
        await paul.press("colon")
        await paul.press(*"unignore")
        await paul.sees("/unignore NAME – Show a user's messages again.")
        await paul.press("enter")
        await paul.until(lambda: isinstance(paul.app.screen, ChatPanel) and paul.app.screen.query(Input))
        assert paul.app.screen.query_one(Input).value == "/unignore "
