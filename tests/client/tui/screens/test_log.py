"""The log of the game can be opened from every screen of a table."""

import pytest

from scoville_client.tui.boards.board import Board
from scoville_client.tui.screens.table.table import LogDialog
from tests.support.screens import NARROW, WIDE, Player, at_the_screen, start_practice

sizes = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["80x24", "46x19"])


async def played_on(player: Player, rounds: int = 6) -> None:
    """Play some rounds by Enter."""
    await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
    board = player.app.screen.query_one(Board)
    for _ in range(rounds):
        await player.until(lambda: board.at.my_turn)
        await player.press("enter")
    await player.until(lambda: board.at.my_turn)


@sizes
async def test_the_story_is_complete_to_its_end(size: tuple[int, int]) -> None:
    async with at_the_screen(start_practice(), size=size) as player:
        await played_on(player)
        await player.press("l")
        assert isinstance(player.app.screen, LogDialog)
        await player.sees("Log")
        newest = player.app.session.table.log[-1].phrase.render(player.app.session.table.names)  # type: ignore[union-attr]
        await player.sees(newest.split()[-1])
        assert "The game starts" not in player.text
        await player.press("home")
        assert "The game starts" in player.text
        await player.press("pagedown")
        assert "The game starts" not in player.text
        await player.press("pageup")
        assert "The game starts" in player.text
        await player.press("down", "down", "down", "down", "up", "end", "escape")
        assert player.where == "play"


@pytest.mark.parametrize("game", ["chilli_chase", "no_thanks"])
async def test_every_board_has_the_key(game: str) -> None:
    async with at_the_screen(start_practice(game=game)) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
        await player.press("l")
        await player.sees("The game starts")


async def test_the_log_follows_the_story() -> None:
    async with at_the_screen(start_practice(), pace=3600) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
        await player.until(lambda: player.app.screen.query_one(Board).at.my_turn)
        await player.press("escape", "enter")  # skips the deal, and plays
        await player.sees("1st action")
        await player.press("l")
        await player.sees("Log")
        assert "wins" not in player.text


async def test_the_log_calls_the_user_by_name_in_every_sentence() -> None:
    async with at_the_screen(start_practice(game="chilli_chase")) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
        board, table = player.app.screen.query_one(Board), player.app.session.table
        assert table is not None
        await player.until(lambda: board.at.my_turn)
        board.play_move(next(iter(table.legal_moves())))
        await player.until(lambda: any("draws the" in line.phrase.text for line in table.log))
        said = [line.phrase.render(table.names) for line in table.log]
        assert any(line.startswith("Anna plays the") for line in said), said
        assert any(line.startswith("Anna draws the") for line in said)
        assert not [line for line in said if line.startswith("You ")]
