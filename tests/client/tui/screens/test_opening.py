"""Opening a table: keys that are pressed meanwhile, and the first picture."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_client.session.session import Session
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.screens.table.table import TableScreen
from tests.support.idle import wait_until_idle
from tests.support.screens import at_the_screen, start_as, start_practice


@pytest.mark.parametrize("key", ["?", "r", "N"])
async def test_a_dialog_opened_meanwhile_stays_on_top(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    connect, opened = Session.connect, asyncio.Event()

    async def connect_later(*arguments: Any) -> Any:
        await opened.wait()
        return await connect(*arguments)

    monkeypatch.setattr(Session, "connect", connect_later)
    async with at_the_screen(start_practice()) as player:
        await player.sees("Shuffling the cards")
        await player.press(key)
        await player.until(lambda: isinstance(player.app.screen, Dialog))
        opened.set()
        await player.until(lambda: player.where == "play")
        assert isinstance(player.app.screen, TableScreen)
        assert not any(isinstance(screen, Dialog) for screen in player.app.screen_stack)


@pytest.mark.parametrize("game", ["no_thanks", "dicht_dran", "chilli_chase"])
@pytest.mark.parametrize("seed", [bytes(32), bytes([7]) * 32])
async def test_the_first_picture_is_the_storys_first_frame(
    game: str, seed: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures: list[bool] = []
    draw = StoryBoard.draw

    def draw_and_note(board: StoryBoard[Any], width: int, height: int) -> Canvas:
        pictures.append(board.animating)
        return draw(board, width, height)

    monkeypatch.setattr(StoryBoard, "draw", draw_and_note)
    async with at_the_screen(replace(start_practice(game=game, players=4), seed=seed), pace=3600) as player:
        await player.until(lambda: player.where == "play" and player.app.up_to_date)
        await wait_until_idle()
        board = player.app.screen.query_one(StoryBoard)
        assert pictures[0] == board.animating, "what came before the board is told before anything later is shown"


async def test_the_start_menu_is_not_painted_before_a_practice_game() -> None:
    async with at_the_screen(start_practice()) as player:
        assert "Practise" not in player.text
        assert "Shuffling the cards" in player.text
        await player.press("h")
        await player.until(lambda: player.where == "play")
        await player.press("escape")
        await player.until(lambda: isinstance(player.app.screen, Dialog))
        await player.press("y")
        await player.until(lambda: player.where == "start")
        await player.sees("Practise")


async def test_a_start_that_fails_offers_the_menu() -> None:
    async with at_the_screen(start_as(1, "Anna")) as player:
        await player.sees("Practise")
        await player.press("r")
        await player.until(lambda: isinstance(player.app.screen, Dialog))
