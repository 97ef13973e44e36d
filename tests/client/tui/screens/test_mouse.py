"""The mouse: a click does what the key does, passes the same filter, and does nothing where the user wants none."""

from typing import Any

import pytest
from textual.events import MouseMove, MouseScrollDown

from scoville_client.settings.checks import apply_settings
from scoville_client.settings.file import SettingsFile
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.chilli_chase.picker import Picker
from scoville_client.tui.drawing.canvas import HOVERED
from scoville_client.tui.drawing.key_names import character_of, keys_in
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.menu import Menu
from tests.support.screens import NARROW, Player, at_the_screen, start_practice


def settings(**chosen: Any) -> SettingsFile:
    file = SettingsFile(None)
    file.preferences = apply_settings(file.preferences, chosen)
    return file


def board(player: Player) -> Any:
    return player.app.screen.query_one(Board)


async def in_a_game(player: Player) -> Any:
    await player.until(lambda: player.where == "play" and board(player).at.my_turn and not board(player).animating)
    return board(player)


async def click(player: Player, widget: CanvasWidget, target: object, *, early: bool = False) -> None:
    link = next(link for link in widget._links if link.target == target)
    await player.click_at(widget.region.x + link.x, widget.region.y + link.y, early=early)


async def test_clicks_select_a_card_and_play_it() -> None:
    async with at_the_screen(start_practice(), settings=settings(mouse="on")) as player:
        table = await in_a_game(player)
        hand = table.at.view.hand
        await player.press("home")
        await click(player, table, hand[2], early=True)
        assert table.picker.selected == hand[0], "the click was older than the picture"
        await click(player, table, hand[2])
        assert table.picker.selected == hand[2]
        assert hand[2] in table.at.view.hand
        await click(player, table, hand[2])
        await player.until(lambda: hand[2] not in table.at.view.hand)


async def test_the_footer_the_help_and_lists_are_clicked_and_scrolled() -> None:
    async with at_the_screen(size=(80, 30), settings=settings(mouse="on")) as player:
        await player.click("r  Rules")
        await player.until(lambda: player.sees_dialog("RulesDialog"))
        await player.click("Esc close")
        await player.until(lambda: player.where == "start")
        await player.click("? help")
        await player.until(lambda: player.sees_dialog("HelpDialog"))
        await player.click("Esc close")
        await player.press("N")
        await player.click("Animations")
        assert player.app.preferences.motion == "full", "the first click explains"
        await player.click("Animations")
        assert player.app.preferences.motion == "less"
        await player.click("Animations", kind=MouseScrollDown)
        assert player.app.screen.query_one(Menu).marked == "name"
        await player.click("→")
        await player.until(lambda: player.sees_dialog("PromptDialog"))
        await player.click("Esc")
        await player.click("Esc")
        await player.click("Practise")
        await player.click("No Thanks!")
        await in_a_game(player)


@pytest.mark.parametrize("size", [NARROW, (120, 40)])
async def test_answers_and_results_are_clicked(size: tuple[int, int]) -> None:
    async with at_the_screen(start_practice(game="no_thanks"), size=size, settings=settings(mouse="on")) as player:
        table = await in_a_game(player)
        chips = table.at.view.chips
        await player.click("No thanks", early=True)
        assert table.at.view.chips == chips
        await player.click("No thanks")
        await player.until(lambda: table.at.view.chips != chips)
    async with at_the_screen(start_practice(game="chilli_chase"), size=size, settings=settings(mouse="on")) as player:
        table = await in_a_game(player)
        way = Picker(table.selection.picker.columns, 1, 0)
        await click(player, table, way)
        assert table.selection.picker == way
        before = table.at.view.hand
        await click(player, table, way)
        await player.until(lambda: table.at.view.hand != before)


async def test_clicks_need_the_mouse_setting() -> None:
    async with at_the_screen(settings=settings(mouse="off")) as player:
        await player.click("r  Rules")
        assert player.where == "start"
        player.app.settings.save_preferences(apply_settings(player.app.preferences, {"mouse": "on"}))
        await player.click("r  Rules")
        await player.until(lambda: player.sees_dialog("RulesDialog"))


async def test_fresh_targets_under_the_pointer_are_ignored() -> None:
    async with at_the_screen(settings=settings(mouse="on")) as player:
        menu = player.app.screen.query_one(Menu)
        drawn_at = menu._linked_at
        menu.show_items([*reversed(menu.items)])
        first = menu.items[0].id
        assert menu.target_at(3, 0, menu._linked_at + 0.1) is None
        assert menu.target_at(3, 0, menu._linked_at + 0.3) == first
        assert menu._linked_at >= drawn_at


def test_the_keys_of_a_hint_are_found() -> None:
    assert [(word, key) for _, word, key in keys_in("← → 0-9")] == [("←", "left"), ("→", "right")]
    assert list(keys_in("Enter n")) == [(0, "Enter", "enter"), (6, "n", "n")]
    assert [key for *_, key in keys_in("PgUp ? F1 + P Ctrl+p")] == [
        "pageup",
        "question_mark",
        "f1",
        "plus",
        "P",
        "ctrl+p",
    ]
    assert [character_of(key) for key in ("P", "plus", "minus", "question_mark", "space", "enter", "f1")] == [
        "P",
        "+",
        "-",
        "?",
        " ",
        None,
        None,
    ]


async def hover(player: Player, widget: CanvasWidget, row: int) -> None:
    await player.click_at(widget.region.x + 3, widget.region.y + row, kind=MouseMove)


async def test_what_is_under_the_pointer_is_lightened_and_not_marked() -> None:
    async with at_the_screen(settings=settings(mouse="on")) as player:
        menu = player.app.screen.query_one(Menu)
        marked = menu.marked

        def lightened() -> list[int]:
            return [y for y, row in enumerate(menu._rows or []) if any(style.endswith(HOVERED) for style, _ in row)]

        await hover(player, menu, 1)
        await player.until(lambda: lightened() == [1])
        assert menu.marked == marked
        await hover(player, menu, 0)
        await player.until(lambda: lightened() == [0])
        await player.press("down")
        await player.until(lambda: lightened() == [])
        assert menu.marked == menu.items[1].id


async def test_the_pointer_shows_nothing_where_the_user_wants_no_mouse() -> None:
    async with at_the_screen(settings=settings(mouse="off")) as player:
        menu = player.app.screen.query_one(Menu)
        await hover(player, menu, 1)
        assert menu._hovered is None
