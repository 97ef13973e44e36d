"""Notices of a page: where they lie, and when they are dismissed."""

from collections.abc import Callable, Sequence

import pytest

from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.session.start_options import Start
from scoville_client.tui.boards.board import Board
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.frames import draw_log
from scoville_client.tui.screens.table.table import TableScreen
from scoville_client.tui.widgets.notice import ChatPreview, Notice
from tests.support.screens import NARROW, WIDE, Player, at_the_screen, start_practice

LONG = "All four seats of this table are taken by now; look for another one, or watch this game for a while instead."


async def test_a_notice_never_changes_the_size_of_the_board() -> None:
    async with at_the_screen(start_practice()) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
        board = player.app.screen.query_one(Board)
        before = board.size
        player.app.page_stack.page.show_notice(LONG, error=True)
        await player.sees("All four seats")
        assert board.size == before == (80, WIDE[1] - 1)
        assert "draw pile" in player.text
        assert "instead." in player.text


async def test_a_notice_goes_away_at_the_next_key() -> None:
    async with at_the_screen(start_practice()) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
        player.app.page_stack.page.show_notice(LONG)
        await player.sees("All four seats")
        await player.press("right")
        assert "All four seats" not in player.text


async def test_a_lost_server_is_shown_until_the_user_goes_back() -> None:
    async with at_the_screen(Start(kind="join", host="127.0.0.1", port=1)) as player:
        await player.sees("127.0.0.1:1")
        player.app.page_stack.page.show_notice(LONG, sticky=True)
        await player.press("down")
        assert player.app.screen.query_one(Notice).sentence == LONG


SIZES = [(46, 19), (80, 24), (120, 40), (200, 50)]
FULL = {"dicht_dran": (2, 5), "no_thanks": (3, 7), "chilli_chase": (2, 6)}
TABLES = [(game, players, NARROW) for game, counts in FULL.items() for players in counts]
TABLES += [(game, counts[-1], size) for game, counts in FULL.items() for size in SIZES if size != NARROW]
"""The smallest and the largest table where there is least room, and the largest at every size."""


def cells(player: Player, keys: int = 1) -> dict[tuple[int, int], str]:
    """Return the page without the key bar and the board's log."""
    x, y, width, height = player.app.page_stack.page.notice_area or (0, 0, 0, 0)
    rows = player.text.splitlines()[: player.app.size.height - keys]
    log = {(column, row) for column in range(x, x + width) for row in range(y, y + height)}
    drawn = {(column, row): sign for row, text in enumerate(rows) for column, sign in enumerate(text)}
    return {at: sign for at, sign in drawn.items() if at not in log}


@pytest.mark.parametrize(("game", "players", "size"), TABLES)
async def test_notices_cover_only_the_log_and_nothing_else_is_there(
    game: str, players: int, size: tuple[int, int]
) -> None:
    async with at_the_screen(start_practice(game=game, players=players), size=size) as player:
        await player.until(lambda: player.where == "play" and player.app.session.table.my_turn)
        for _ in range(3):
            await player.pilot.pause()
            before, keys = cells(player), player.text.splitlines()[-1]
            player.app.page_stack.page.show_notice(LONG, error=True, sticky=True)
            player.app.page_stack.page.announce(LONG)
            player.app.connection._changes._alerts._show_preview(
                "Paul", "well played, and some more that nobody has to read"
            )
            await player.sees("All four")
            assert cells(player) == before
            assert player.text.splitlines()[-1] == keys
            assert " ".join(player.text.split()) != " ".join("".join(before.values()).split())
            player.app.page_stack.page.show_notice("")
            player.app.page_stack.page.notices.dismiss_announcements()
            for row in player.app.page_stack.page.query(ChatPreview):
                row.hide_message()
            await player.press("enter")
            await player.until(lambda: player.where != "play" or player.app.session.table.my_turn)
        _, _, width, height = player.app.page_stack.page.notice_area or (0, 0, 0, 0)
        assert width * height >= len("All four seats of this table are taken by now")


@pytest.mark.parametrize(("game", "players", "size"), TABLES)
async def test_an_error_is_readable_whole_on_every_board(game: str, players: int, size: tuple[int, int]) -> None:
    async with at_the_screen(start_practice(game=game, players=players), size=size) as player:
        await player.until(lambda: player.where == "play" and player.app.session.table.my_turn)
        await player.pilot.pause()
        before = player.text
        page = player.app.page_stack.page
        page.show_notice(LONG, error=True)
        await player.sees("All four")
        assert page.notice_area is not None
        for row in wrap_lines(LONG, page.notice_area[2] - 4):
            assert row in player.text
        page.notices.dismiss_read()
        await player.until(lambda: player.text == before)


@pytest.mark.parametrize("size", [NARROW, (200, 50)], ids=str)
async def test_a_notice_takes_whole_entries_of_the_log(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [f"{who} has taken the card and all chips that lay on it. " * 2 for who in ("Anna", "Bob", "Carla")]
    monkeypatch.setattr("scoville_client.tui.screens.table.side_column.draw_log", _log_of(entries))
    monkeypatch.setattr("scoville_client.tui.boards.dicht_dran.layout.draw_log", _log_of(entries))
    async with at_the_screen(start_practice(game="dicht_dran"), size=size) as player:
        await player.until(lambda: player.where == "play" and player.app.session.table.my_turn)
        page = player.app.page_stack.page
        page.show_notice("No.", sticky=True)
        await player.sees("No.")
        assert page.notice_area is not None
        x, y, width, height = page.notice_area
        below = page.query_one(Notice).size.height
        rows = [row[x : x + width].rstrip() for row in player.text.splitlines()[y : y + height]]
        assert rows[0].strip() == "No."
        assert below > 1
        assert not any(rows[1:below])
        assert below == height or rows[below][:2] in ("", "· ")


@pytest.mark.parametrize("size", [NARROW, (200, 50)], ids=str)
async def test_a_chat_preview_takes_a_whole_entry_of_the_log(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [f"{who} has taken the card and all chips that lay on it, and turns up the 17." for who in "ABCDEFGHIJKL"]
    monkeypatch.setattr("scoville_client.tui.screens.table.side_column.draw_log", _log_of(entries))
    monkeypatch.setattr("scoville_client.tui.boards.dicht_dran.layout.draw_log", _log_of(entries))
    async with at_the_screen(start_practice(game="dicht_dran"), size=size) as player:
        await player.until(lambda: player.where == "play" and player.app.session.table.my_turn)
        page = player.app.page_stack.page
        area, ends = page.notice_area, page.notice_ends
        assert area is not None
        player.app.connection._changes._alerts._show_preview("Paul", "well played")
        await player.sees("Paul: well played")
        x, y, width, height = page.query_one(ChatPreview).region
        assert (x, width, y + height) == (area[0], area[2], area[1] + area[3])
        assert height > 1 or ends[-1] < area[3]
        assert y - area[1] in ends


def _log_of(entries: Sequence[str]) -> Callable[..., None]:
    """Draw these entries, whatever has happened."""

    def draw_entries(canvas: Canvas, x: int, y: int, width: int, height: int, _: Sequence[str]) -> None:
        draw_log(canvas, x, y, width, height, entries)

    return draw_entries


async def test_a_reaction_waits_until_the_page_has_its_widgets() -> None:
    """One that arrives while a page is being opened ended the client."""
    async with at_the_screen(start_practice()) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
        assert player.app.session.table is not None
        opening = player.app.push_screen(TableScreen(player.app.session.table, pace=0))
        assert not player.app.page_stack.page.query(Notice)
        player.app.connection._changes._alerts._show_preview("Paul", "well played")
        await opening
        await player.until(lambda: bool(player.app.page_stack.page.query(ChatPreview)))
        await player.sees("well played")


@pytest.mark.parametrize("size", SIZES[:2], ids=str)
async def test_outside_of_a_game_the_page_makes_room_for_notices(size: tuple[int, int]) -> None:
    async with at_the_screen(Start(kind="host", host="127.0.0.1", port=0, name="Anna"), size=size) as anna:
        await anna.sees("Press Enter to start")
        body = anna.app.page_stack.page.query_one("#stage").size.height
        anna.app.page_stack.page.show_notice(LONG)
        await anna.sees("All four seats")
        assert anna.app.page_stack.page.query_one("#stage").size.height < body


def test_a_notice_without_room_ends_behind_a_whole_clause() -> None:
    notice = Notice()
    notice.sentence = "It costs a chip; the card comes back. Take the card and its chips for the run of five"
    notice._area = (0, 0, 34, 2)
    assert [row for row, _ in notice._rows_in(34)] == ["It costs a chip; the card", "comes back. …"]


def test_the_latest_event_is_readable_without_announcements() -> None:
    notice = Notice()
    notice.announced = ("Announcement: " + "all tables close in a moment. " * 4,)
    notice.sentence = "The server is shutting down. Waiting for it to come back …"
    notice._area = (0, 0, 34, 5)
    rows = [row for row, _ in notice._rows_in(34)]
    assert len(rows) == 5
    assert rows[0].startswith("Announcement: all tables")
    assert rows[2].endswith("…")
    assert " ".join(rows[3:]) == notice.sentence
