"""The density of the screens: compact ones have small cards and more rows for the log and for tables."""

import pytest

from scoville_client.settings.checks import apply_settings
from scoville_client.tui.boards.board import Board
from tests.support.live_server import open_live_server
from tests.support.screens import Player, at_the_screen, start_practice


def choose(player: Player, density: str) -> None:
    player.app.settings.save_preferences(apply_settings(player.app.preferences, {"density": density}))


@pytest.mark.parametrize("game", ["dicht_dran", "no_thanks", "chilli_chase"])
async def test_a_compact_board_has_more_rows_for_the_log(game: str) -> None:
    async with at_the_screen(start_practice(game=game), size=(100, 45)) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query_one(Board).log_area)
        board = player.app.screen.query_one(Board)
        before = board.log_area
        choose(player, "compact")
        after = board.log_area
        assert before is not None
        assert after is not None
        assert after[3] > before[3] + 3
        choose(player, "comfortable")
        assert board.log_area == before


async def test_a_compact_lobby_has_a_row_for_each_table() -> None:
    async with open_live_server() as server:
        for cycles in (1, 3):
            await server.open("dicht_dran", options={"cycles": cycles})
        async with at_the_screen(server.start) as player:
            await player.sees("Cycles: 3")
            assert player.text.count("not rated") > 1
            choose(player, "compact")
            await player.until(lambda: player.app.up_to_date)
            # That of the marked one, below its row.
            assert player.text.count("not rated") == 1
            assert [row[3:13] for row in player.text.splitlines() if "0/3" in row] == ["Dicht dran"] * 2
