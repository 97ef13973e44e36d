"""From 120 columns on a table has its log and its chat in a column of its own."""

import pytest

from scoville_client.session.start_options import Start
from scoville_client.tui.boards.board import Board
from scoville_client.tui.drawing.canvas import Area, Canvas
from scoville_client.tui.screens.table.side_column import SideColumn
from tests.support.screens import Player, at_the_screen, port_of, start_as, start_practice

LARGE, HUGE = (120, 40), (200, 50)


def column(player: Player) -> SideColumn:
    return player.app.page_stack.page.query_one(SideColumn)


async def in_a_game(player: Player) -> Board:
    await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
    await player.until(lambda: player.app.screen.query_one(Board).at.my_turn)
    return player.app.screen.query_one(Board)


async def in_a_running_game(*players: Player) -> None:
    for player in players:
        await player.until(lambda player=player: player.where == "play")


@pytest.mark.parametrize("game", ["dicht_dran", "no_thanks", "chilli_chase"])
@pytest.mark.parametrize("size", [LARGE, HUGE], ids=str)
async def test_the_log_is_beside_the_board_and_nowhere_else(game: str, size: tuple[int, int]) -> None:
    async with at_the_screen(start_practice(game=game), size=size) as player:
        board = await in_a_game(player)
        beside = column(player)
        assert board.region.width + beside.region.width == size[0]
        assert board.region.right == beside.region.x
        assert player.text.count("The game starts: Anna") == 1
        log = str(beside.draw(*beside.size))
        assert "The game starts: Anna" in log
        assert "Chat" not in log


async def test_a_narrower_window_has_the_log_on_the_board() -> None:
    async with at_the_screen(start_practice(), size=LARGE) as player:
        board = await in_a_game(player)
        await player.pilot.resize_terminal(119, 40)
        await player.until(lambda: board.region.width == 119)
        assert not column(player).region.area
        assert player.text.count("The game starts: Anna") == 1


async def test_chat_is_read_and_written_in_the_column() -> None:
    async with (
        at_the_screen(Start(kind="host", host="127.0.0.1", port=0, name="Anna"), size=LARGE) as anna,
        at_the_screen(start_as(await port_of(anna), "Ben"), size=LARGE) as ben,
    ):
        await ben.sees("take a seat")
        await ben.press("enter")
        await ben.until(lambda: ben.where == "waiting")
        assert not column(anna).region.area, "who waits has the whole width for seats, chat and rules"
        await anna.press("enter")
        await in_a_running_game(anna, ben)
        await anna.press("g")
        await anna.until(lambda: anna.sees_dialog("ChatPanel"))
        assert anna.app.screen.query_one("#talk").region.x == column(anna).region.x
        await anna.press(*"hello", "enter")
        await ben.until(lambda: "Anna: hello" in str(column(ben).draw(*column(ben).size)))


def test_rules_begin_where_the_log_ends_and_move_seldom() -> None:
    seen = []
    for count in range(0, 80, 2):
        lines = [f"Line {number}." for number in range(count)]
        drawn = SideColumn(lambda most, lines=lines: lines[-most:], None, lambda: "dicht_dran").draw(60, 78)
        rows = [row.strip("│ ") for row in str(drawn).splitlines()]
        seen.append(rows.index("How it is played (r)") if "How it is played (r)" in rows else 78)
        assert f"· Line {count - 1}." in rows or not count
    assert list(dict.fromkeys(seen)) == [13, 26, 39, 78]


async def test_the_first_picture_has_its_final_arrangement(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[int, Area | None]] = []
    note = Board.drawn

    def noted(board: Board, canvas: Canvas) -> None:
        drawn.append((canvas.width, canvas.log))
        note(board, canvas)

    monkeypatch.setattr(Board, "drawn", noted)
    async with at_the_screen(start_practice(game="no_thanks", players=3), size=HUGE) as player:
        await player.until(lambda: player.where == "play")
        assert drawn
        assert len(set(drawn)) == 1, "no picture before the last one is arranged in another way"
