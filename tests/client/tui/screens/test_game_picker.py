"""Choosing a game on the start screen."""

import pytest

from scoville_client.tui.boards.board import Board
from scoville_client.tui.screens.dialogs.create_table import CreateDialog
from scoville_client.tui.screens.dialogs.game_picker import GamePickerDialog
from scoville_shared.protocol.messages import GameInfo
from tests.support.screens import NARROW, WIDE, Player, at_the_screen

sizes = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["80x24", "46x19"])


async def game(player: Player) -> str:
    """Wait for a board; name its game."""
    await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
    assert player.app.session.table is not None
    return player.app.session.table.info.game


@sizes
async def test_practice_asks_for_the_game_in_one_sentence_each(size: tuple[int, int]) -> None:
    async with at_the_screen(size=size) as player:
        await player.press("p")
        assert isinstance(player.app.screen, GamePickerDialog)
        for title in (
            "Dicht dran",
            "No Thanks!",
            "Chilli Chase",
            "The closest card wins",
            "Take the card",
            "Combine a card",
        ):
            await player.sees(title)
        await player.press("enter")
        assert await game(player) == "dicht_dran"


async def test_more_games_than_rows_leave_the_keys_in_view() -> None:
    games = [
        GameInfo(
            slug=f"game_{number}", title=f"Game {number}", seat_range=(2, 4), official_range=(2, 4), rules_version=1,
            options={},
        )
        for number in range(6)
    ]  # fmt: skip
    async with at_the_screen(size=NARROW) as player:
        player.app.open_dialog(GamePickerDialog("Practise", games, "game_0"))
        await player.sees("Enter play")
        await player.sees("Game 0")
        await player.press(*["down"] * 5)
        await player.sees("Game 5")


@pytest.mark.parametrize(("letter", "slug"), [("d", "dicht_dran"), ("n", "no_thanks"), ("c", "chilli_chase")])
async def test_a_letter_takes_a_game(letter: str, slug: str) -> None:
    async with at_the_screen() as player:
        await player.press("p", letter)
        assert await game(player) == slug


async def test_arrows_choose_a_game_that_is_remembered() -> None:
    async with at_the_screen() as player:
        await player.press("p", "up", "enter")
        slug = await game(player)
        assert slug != "dicht_dran"
        await player.press("escape", "y")
        await player.until(lambda: player.where == "start")
        await player.press("p", "enter")
        assert await game(player) == slug


@sizes
async def test_players_options_and_bots_are_chosen_before_the_game(size: tuple[int, int]) -> None:
    async with at_the_screen(size=size) as player:
        await player.press("p", "down", "up", "o")
        assert isinstance(player.app.screen, CreateDialog)
        await player.press("down", "3", "down", "1", "enter")
        assert await game(player) == "dicht_dran"
        assert player.app.session.table is not None
        info = player.app.session.table.info
        assert (len(info.seats), info.options["cycles"]) == (3, 1)


async def test_hosting_asks_too_and_escape_goes_back() -> None:
    async with at_the_screen() as player:
        await player.press("h")
        await player.sees("Host a table")
        await player.press("escape")
        assert player.where == "start"


@sizes
async def test_the_new_table_dialog_scrolls_at_fixed_height(size: tuple[int, int]) -> None:
    async with at_the_screen(size=size) as player:
        await player.press("h", "o")
        await player.until(lambda: player.sees_dialog("CreateDialog"))
        box = player.app.screen.query_one(".box")
        height = box.region.height
        await player.press("right", "right", "down", "down", "down")
        assert box.region.height == height
        await player.press("left", "up", "up", "up", "up", "right")
        await player.sees("▼")
        height = box.region.height
        for _ in range(8):
            await player.press("down")
            assert box.region.height == height
        assert height <= size[1]
        await player.sees("▲")
