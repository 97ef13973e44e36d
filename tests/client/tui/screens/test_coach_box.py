"""The box of the coach is as high as what it says: the board stays in sight."""

import pytest

from scoville_client.tui.screens.coach.advice import AdviceDialog
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_shared.games.registry import list_slugs
from tests.support.screens import NARROW, WIDE, at_the_screen, start_practice


@pytest.mark.parametrize("game", list_slugs())
@pytest.mark.parametrize("size", [NARROW, WIDE, (46, 44), (200, 50)], ids=str)
async def test_a_hint_leaves_the_decision_in_sight(size: tuple[int, int], game: str) -> None:
    async with at_the_screen(start_practice(game=game, players=3), size=size) as player:
        await player.until(lambda: player.where == "play" and player.app.session.table.my_turn)
        await player.press("h")
        dialog = player.app.screen
        assert isinstance(dialog, AdviceDialog)
        await player.sees("which move")
        box = dialog.query_one(".box").region
        hidden_from_edge = size[1] - box.y if game == "no_thanks" else box.bottom
        assert hidden_from_edge <= 13
        await player.press("right")
        await player.until(lambda: dialog._advice is not None)
        await player.sees("Chance to win")
        await player.sees("all figures")
        assert dialog.query_one(".box").region.height <= size[1]


def test_labels_of_a_picker_have_the_width_of_the_widest() -> None:
    menu = Menu([Item("a", "05:05", "Smugglers, rank 5 of 6"), Item("b", "", "Another file")], is_tight=True)
    assert "▸ 05:05  Smugglers, rank 5 of 6" in str(menu.draw(44, 2))


def test_a_label_alone_in_its_row_is_not_cut() -> None:
    label = "nein danke (einen Chip zahlen)"
    menu = Menu([Item("a", label), Item("b", label, "more")], label_width=14, is_tight=True)
    alone, beside = str(menu.draw(44, 2)).splitlines()
    assert label in alone
    assert "nein danke (e…" in beside
