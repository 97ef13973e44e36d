"""The lobby screen: live updates, and ways to every table."""

from unittest.mock import AsyncMock

import pytest
from msgspec.structs import replace
from textual.events import AppBlur, AppFocus

from scoville_client.session.identity.tokens import by_keys, take_slot
from scoville_client.session.session import Session
from scoville_client.session.table.previews import PREVIEW_SECONDS, Previews
from scoville_client.settings.file import SettingsFile
from scoville_client.transport.tcp import TcpLink
from scoville_client.tui.attention import AWAY_SECONDS
from scoville_client.tui.boards.board import Board
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.screens.lobby.lobby import UNASKED_SECONDS, LobbyScreen
from scoville_client.tui.screens.lobby.side import LobbySide
from scoville_client.tui.screens.lobby.table_list import TableList
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.menu import Menu
from scoville_shared.games.no_thanks.state import TAKE
from scoville_shared.protocol.messages import LobbyChangedNotice, UserInfo
from tests.client.tui.boards.gallery import empty_share
from tests.support.idle import wait_until_idle
from tests.support.live_server import LiveServer
from tests.support.screens import NARROW, WIDE, Player, at_the_screen

GAMES = ["chilli_chase", "dicht_dran", "no_thanks"]


def menu(player: Player) -> Menu:
    return player.app.screen.query_one(Menu)


async def test_the_list_is_live_and_keeps_its_mark(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start) as paul:
        await paul.sees("There are no tables yet.")
        first = await live_server.open()
        await paul.sees_of_others("Dicht dran ═")
        assert "There are no tables yet." not in paul.text
        second = await live_server.open("no_thanks")
        await paul.sees_of_others("No Thanks! ─")
        await paul.press("down")
        assert menu(paul).marked == second
        await live_server.marie.join_table(second)
        await paul.sees_of_others("Marie")
        assert menu(paul).marked == second
        await live_server.marie.table_actions.start_game()
        await paul.sees_of_others("playing")
        assert menu(paul).marked == second
        assert first != second


async def test_a_crowd_redraws_the_lobby_once(live_server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    async with at_the_screen(live_server.start) as paul:
        await paul.sees("There are no tables yet.")
        for _ in range(2):  # what waits is drawn; then nothing does
            paul.clock.advance(2 * UNASKED_SECONDS)
            await wait_until_idle()
        drawn: list[str] = []
        monkeypatch.setattr(LobbyScreen, "_show_all", lambda _: drawn.append(""))
        for number in range(10):
            user = UserInfo(name=f"User {number}")
            paul.app.session.lobby.on_notice(LobbyChangedNotice(online=number, arrived=[user]))
            await wait_until_idle()
        assert len(drawn) == 1
        paul.clock.advance(UNASKED_SECONDS)
        await wait_until_idle()
        assert len(drawn) == 2
        paul.clock.advance(10 * UNASKED_SECONDS)
        await wait_until_idle()
        assert len(drawn) == 2


def note_drawn(kind: type[CanvasWidget], drawn: list[type], monkeypatch: pytest.MonkeyPatch) -> None:
    draw = kind.draw

    def draw_noted(widget: CanvasWidget, width: int, height: int) -> Canvas:
        drawn.append(kind)
        return draw(widget, width, height)

    monkeypatch.setattr(kind, "draw", draw_noted)


async def test_new_tables_draw_the_lobby_once(live_server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    await live_server.open()
    async with at_the_screen(live_server.start, size=(132, 43)) as paul:
        await paul.sees("Enter take a seat")
        paul.clock.advance(2 * UNASKED_SECONDS)
        await wait_until_idle()
        lobby, drawn = paul.app.session.lobby, list[type]()
        for kind in (TableList, LobbySide):
            note_drawn(kind, drawn, monkeypatch)
        new = [replace(lobby.tables[0], table=f"{n:012x}") for n in range(200)]
        lobby.on_notice(LobbyChangedNotice(online=2, tables=new))
        await wait_until_idle()
        assert drawn == [TableList, LobbySide]


def read_points_of(player: Player, words: str) -> str:
    row = next(row for row in player.text.splitlines() if words in row)
    return row.partition(words)[2].rstrip(" │").split()[-1]


async def test_a_running_game_is_a_picture_that_follows_it(live_server: LiveServer) -> None:
    table = await live_server.begin("no_thanks")
    settings = SettingsFile(None)
    settings.preferences = replace(settings.preferences, mouse="on")
    async with at_the_screen(live_server.start, size=(132, 43), settings=settings) as paul:
        await paul.sees("Being played now")
        await paul.sees("Marie decides.")
        assert live_server.marie.current_table.audience.spectators == []
        card = live_server.marie.current_table.view.board.card
        assert read_points_of(paul, "► Marie") == "0"
        await live_server.marie.play_move(TAKE)
        await wait_until_idle()
        assert read_points_of(paul, "► Marie") == "0"
        paul.clock.advance(PREVIEW_SECONDS)
        await paul.until(lambda: read_points_of(paul, "► Marie") == str(card))
        other = await live_server.open()
        await paul.sees_of_others("Dicht dran ─")
        menu(paul).mark_item(other)
        await paul.click("Marie decides.")
        assert menu(paul).marked == table


async def test_a_covered_lobby_reads_no_games(live_server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    await live_server.begin("no_thanks")
    await live_server.open()
    async with at_the_screen(live_server.start, size=(132, 43)) as paul:
        await paul.sees("Marie decides.")
        read: list[str] = []
        monkeypatch.setattr(Previews, "_read_table", AsyncMock(side_effect=read.append))
        await paul.press("enter")
        await paul.sees("Press Enter to start")
        for _ in range(3):
            paul.clock.advance(PREVIEW_SECONDS)
            await wait_until_idle()
        assert read == []
        await paul.app.session.return_to_lobby()
        await paul.app.navigation.open_lobby()
        await paul.until(lambda: read)


async def test_nobody_s_lobby_reads_no_games(live_server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    await live_server.begin("no_thanks")
    async with at_the_screen(live_server.start, size=(132, 43)) as paul:
        await paul.sees("Marie decides.")
        read: list[str] = []
        monkeypatch.setattr(Previews, "_read_table", AsyncMock(side_effect=read.append))
        paul.app.post_message(AppBlur())
        await wait_until_idle()
        for _ in range(3):
            paul.clock.advance(PREVIEW_SECONDS)
            await wait_until_idle()
        assert read == []
        paul.app.post_message(AppFocus())
        await paul.until(lambda: len(read) == 1)
        for _ in range(round(AWAY_SECONDS / PREVIEW_SECONDS)):
            paul.clock.advance(PREVIEW_SECONDS)
            await wait_until_idle()
        known = len(read)
        for _ in range(3):
            paul.clock.advance(PREVIEW_SECONDS)
            await wait_until_idle()
        assert len(read) == known, "no key was pressed for minutes"
        await paul.press("down")
        await paul.until(lambda: len(read) == known + 1)


async def test_rules_are_told_once(live_server: LiveServer) -> None:
    await live_server.open()
    async with at_the_screen(live_server.start, size=(200, 50)) as paul:
        await paul.sees("What is played here")
        assert paul.text.count("The aim") == 3, "of each game in the list"
        column = paul.app.screen.query_one(LobbySide).region.x
        beside = "\n".join(row[column:] for row in paul.text.splitlines())
        assert "How it is played" in beside
        assert "1st action: choose" in beside, "where the list has no more room"
        assert paul.text.count("1st action: choose") == 1


async def test_a_covered_lobby_is_drawn_on_return(live_server: LiveServer) -> None:
    await live_server.open()
    async with at_the_screen(live_server.start) as paul:
        await paul.sees("Enter take a seat")
        await paul.press("enter")
        await paul.sees("Press Enter to start")
        await live_server.open("no_thanks")
        await paul.until(lambda: len(paul.app.session.lobby.tables) == 2)
        paul.clock.advance(UNASKED_SECONDS)
        await wait_until_idle()
        lobby = next(page for page in paul.app.page_stack.pages if isinstance(page, LobbyScreen))
        assert len(lobby.query_one(TableList).items) == 1
        await paul.app.session.return_to_lobby()
        await paul.app.navigation.open_lobby()
        await paul.sees("No Thanks!")


async def test_one_waiting_table_is_marked_and_enter_sits_down(live_server: LiveServer) -> None:
    await live_server.begin("no_thanks")
    waiting = await live_server.open()
    async with at_the_screen(live_server.start) as paul:
        await paul.sees("Enter take a seat")
        assert menu(paul).marked == waiting
        await paul.press("enter")
        await paul.sees("Press Enter to start")


async def test_the_waiting_room_says_who_is_host(live_server: LiveServer) -> None:
    await live_server.marie.join_table(await live_server.open())
    async with at_the_screen(live_server.start) as paul:
        await paul.sees("Enter take a seat")
        await paul.press("enter")
        await paul.sees("Marie is the host and starts the game")


async def test_a_notice_at_a_table_stays_while_the_lobby_changes(live_server: LiveServer) -> None:
    await live_server.marie.join_table(await live_server.open())
    async with at_the_screen(live_server.start) as paul:
        await paul.sees("Enter take a seat")
        await paul.press("enter")
        await paul.sees("Marie is the host")
        paul.app.page_stack.page.show_notice("Only the host", error=True)
        await live_server.open("no_thanks")
        await paul.until(lambda: len(paul.app.session.lobby.tables) == 2)
        await paul.pilot.pause()
        assert "Only the host" in paul.text


async def test_an_answer_stays_readable_while_others_come_and_go(
    live_server: LiveServer,
) -> None:
    table = await live_server.open_with_marie()
    async with at_the_screen(live_server.start) as paul:
        await paul.sees("Enter take a seat")
        await paul.press("enter")
        await paul.sees("Marie is the host")
        linus = await live_server.connect_user("Linus")
        paul.app.page_stack.page.show_notice("Only the host", error=True)
        await linus.watch_table(table)
        await paul.sees("Spectators: Linus.")
        assert "Only the host" in paul.text
        await live_server.marie.close()
        await paul.sees("away")
        assert "Only the host" in paul.text
        await linus.close()


@pytest.mark.parametrize(("game", "size"), [("dicht_dran", WIDE), ("no_thanks", NARROW), ("chilli_chase", NARROW)])
async def test_a_running_game_is_watched_to_its_end(live_server: LiveServer, game: str, size: tuple[int, int]) -> None:
    await live_server.begin(game)
    at = live_server.marie.table
    assert at is not None
    async with at_the_screen(live_server.start, size=size) as paul:
        await paul.sees("Enter watch")
        await paul.press("enter")
        await paul.until(lambda: paul.app.screen.query(Board))
        mine = paul.app.session.table
        assert mine is not None
        assert mine.seat is None
        await paul.press("enter", "5", "space", "left", "up", "t", "k", "u")
        assert paul.where == "play"
        assert "Traceback" not in paul.text
        while at.result is None:
            await paul.until(lambda: at.legal_moves() if at.my_turn else at.result)
            if at.my_turn:
                await live_server.marie.play_move(at.game.fallback(at.view))
        await paul.sees("The game is over.")
        await paul.press("escape")
        await paul.until(lambda: paul.where == "lobby")


async def test_seats_of_namesakes_are_not_offered(live_server: LiveServer) -> None:
    gone = Session()
    await gone.connect(TcpLink("127.0.0.1", live_server.port), "Paul")
    table = await live_server.open()
    await live_server.marie.join_table(table)
    await gone.join_table(table)
    await live_server.marie.table_actions.start_game()
    await gone.leave_table()
    await gone.close()
    async with at_the_screen(live_server.start) as paul:
        await paul.sees("Enter watch")
        assert paul.app.session.name == "Paul"
        await paul.press("enter")
        await paul.until(lambda: paul.app.screen.query(Board))
        assert paul.app.session.table is not None
        assert paul.app.session.table.seat is None


async def test_enter_takes_a_seat_back_from_a_bot(live_server: LiveServer) -> None:
    table = await live_server.open()
    await live_server.marie.join_table(table)
    async with at_the_screen(live_server.start) as paul:
        await paul.sees("Enter take a seat")
        await paul.press("enter")
        await paul.sees("Marie is the host")
        await live_server.marie.table_actions.start_game()
        await paul.until(lambda: paul.app.screen.query(Board))
        await paul.app.session.leave_table()
        await paul.app.pop_screen()
        await paul.app.session.lobby.refresh_tables()
        await paul.sees("Enter take a seat")
        await paul.press("enter")
        await paul.until(lambda: paul.app.session.table is not None and paul.app.session.table.seat == 1)


async def test_a_killed_client_returns_to_its_table(
    live_server: LiveServer,
) -> None:
    table = await live_server.open()
    await live_server.marie.join_table(table)
    slot = take_slot(by_keys([live_server.server.key.public.hex()]), "Paul")
    assert slot is not None
    killed = Session()
    await killed.connect(TcpLink("127.0.0.1", live_server.port), "Paul")
    slot.store_identity(killed.connection.token, killed.name, "Paul")
    await killed.join_table(table)
    await live_server.marie.table_actions.start_game()
    await killed.close()
    slot.unlock_slot()
    async with at_the_screen(live_server.start) as paul, at_the_screen(live_server.start) as other:
        await paul.until(lambda: paul.app.screen.query(Board))
        await other.sees("you are Paul 2")
        assert paul.app.session.table is not None
        assert paul.app.session.table.seat == 1
        await paul.press("escape")
        await paul.sees("Leave this game?")
        await paul.press("y")
        await paul.until(lambda: paul.where == "lobby")


async def test_a_full_table_that_waits_is_watched_too(live_server: LiveServer) -> None:
    table = await live_server.open(seats=2)
    await live_server.marie.join_table(table)
    other = Session()
    await other.connect(TcpLink("127.0.0.1", live_server.port), "Max")
    await other.join_table(table)
    async with at_the_screen(live_server.start) as paul:
        await paul.sees("Enter watch")
        await paul.press("enter")
        await paul.sees("You are watching. Marie is the host")
        keys = paul.text.splitlines()[-1]
        assert "Esc leave" in keys
        assert "Enter" not in keys
        assert "invite" not in keys
        await paul.press("enter")
        await live_server.marie.table_actions.start_game()
        await paul.until(lambda: paul.app.screen.query(Board))
    await other.close()


async def test_a_slash_shows_the_tables_that_have_the_typed_words(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start) as paul:
        await live_server.open()
        other = await live_server.open("no_thanks")
        await paul.sees_of_others("No Thanks! ─")
        await paul.press("slash", "t", "h", "a", "n")
        await paul.sees("/ than_")
        assert menu(paul).marked == other
        assert " Dicht dran ═" not in paul.text
        assert "1 of 2" in paul.text
        await paul.press("x")
        await paul.sees("0 of 2")
        assert menu(paul).marked is None
        await paul.press("enter", "escape")
        await paul.sees("Dicht dran ═")
        assert paul.where == "lobby"


async def test_a_filtered_list_goes_on_changing(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start) as paul:
        await live_server.open()
        await live_server.open("no_thanks")
        await paul.sees_of_others("No Thanks! ─")
        await paul.press("slash", "t", "h", "a", "n", "k")
        await paul.sees("1 of 2")
        await live_server.open("chilli_chase")
        await paul.sees_of_others("1 of 3")
        await live_server.open("no_thanks")
        await paul.sees_of_others("2 of 4")
        await paul.press("backspace", "backspace", "backspace", "backspace", "backspace", "backspace")
        await paul.until(lambda: "Esc shows all" not in paul.text)


@pytest.mark.parametrize("size", [(46, 44), (120, 40), (200, 50), (300, 80)])
async def test_tables_are_tiles_where_there_is_room(live_server: LiveServer, size: tuple[int, int]) -> None:
    async with at_the_screen(live_server.start, size=size) as paul:
        await paul.sees("What is played here")
        await paul.sees("Nobody wants the")
        first = await live_server.open_with_marie()
        await live_server.open("no_thanks", 5)
        await paul.sees_of_others("○○○○○  0 of 5 seats")
        assert "●○○  1 of 3 seats" in paul.text
        table_list = paul.app.screen.query_one(TableList)
        assert table_list.marked == first
        await paul.until(lambda: paul.text.count("╔") == 1)
        await paul.press("down")
        await paul.until(lambda: table_list.marked != first)
        link = next(link for link in table_list._links if link.target == first)
        await paul.click_at(table_list.region.x + link.x + 2, table_list.region.y + link.y + 2)
        await paul.until(lambda: table_list.marked == first)


@pytest.mark.parametrize("size", [(46, 44), (80, 24), (120, 40), (200, 50)])
async def test_a_lobby_is_filled_down_to_its_keys(live_server: LiveServer, size: tuple[int, int]) -> None:
    async with at_the_screen(live_server.start, size=size) as paul:
        for game in GAMES:
            await live_server.open(game)
        await paul.sees_of_others("Chilli Chase")
        await paul.sees_of_others("No Thanks!")
        await paul.until(lambda: paul.app.up_to_date)
        table_list = paul.app.screen.query_one(TableList)
        assert empty_share(table_list.draw(*table_list.size)) < 0.5


@pytest.mark.parametrize("size", [(80, 24), (100, 30)])
async def test_a_lobby_says_of_every_game_what_it_is_about(live_server: LiveServer, size: tuple[int, int]) -> None:
    async with at_the_screen(live_server.start, size=size) as paul:
        for game in GAMES:
            await live_server.open(game)
        await paul.sees_of_others("Chilli Chase")
        await paul.sees_of_others("No Thanks!")
        await paul.until(lambda: paul.app.up_to_date)
        shown = str(paul.app.screen.query_one(TableList).draw(*paul.app.screen.query_one(TableList).size))
        for start in ("Combine a card", "The closest card", "Take the card"):
            assert start in shown


async def test_picture_follows_the_marked_table(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start, size=(80, 24)) as paul:
        for game in ("dicht_dran", "no_thanks"):
            await live_server.open(game)
        await paul.sees_of_others("No Thanks!")
        table_list = paul.app.screen.query_one(TableList)
        pictures = {"Dicht dran": "│40 │  │74 │", "No Thanks!": "│ 27 ││ 28 ││ 29 │"}
        first = table_list.marked_row
        assert first is not None
        paul.clock.advance(UNASKED_SECONDS)  # the tables came one after the other
        await paul.sees(pictures.pop(first.game))
        await paul.press("down")
        ((other, picture),) = pictures.items()
        assert table_list.marked_row is not None
        assert table_list.marked_row.game == other
        assert picture not in str(table_list.draw(*table_list.size)), "a key that is held down draws no pictures"
        paul.clock.advance(UNASKED_SECONDS)
        await paul.sees(picture)
