"""Menus: what of the marked item has no room beside its label goes on below it."""

from textual.app import ComposeResult

from scoville_client.tui.drawing.canvas import Canvas, find_target
from scoville_client.tui.themes import DARK
from scoville_client.tui.widgets.menu import Item, Menu
from tests.client.tui.boards.gallery import Gallery
from tests.support import frames as frames  # Textual without waits
from tests.support.idle import eventually

LONG = "one two three four five six seven"


def rows_of(menu: Menu, width: int, height: int) -> list[str]:
    return [row.rstrip() for row in str(menu.draw(width, height)).splitlines()]


def test_the_marked_item_is_whole_where_a_list_has_rows() -> None:
    menu = Menu([Item("a", "a", LONG), Item("b", "b", LONG)], label_width=3)
    assert rows_of(menu, 26, 3) == [" ▸ a   one two three four", "       five six seven", "   b   one two three fou…"]
    menu.index = 1
    assert rows_of(menu, 26, 3) == ["   a   one two three fou…", " ▸ b   one two three four", "       five six seven"]


def test_a_list_without_a_row_to_spare_hides_no_item() -> None:
    menu = Menu([Item("a", "a", LONG), Item("b", "b", LONG)], label_width=3)
    assert rows_of(menu, 26, 2) == [" ▸ a   one two three fou…", "   b   one two three fou…"]


def test_a_list_that_scrolls_shows_the_marked_item_whole_everywhere() -> None:
    menu = Menu([Item(str(n), str(n), LONG) for n in range(9)], label_width=3)
    for marked in range(9):
        menu.index = marked
        shown = rows_of(menu, 26, 6)
        place = shown.index(f" ▸ {marked}   one two three four")
        assert shown[place + 1].strip(" ▼") == "five six seven"
        assert len([row for row in shown if row]) == 6


def test_items_are_whole_where_all_have_rows() -> None:
    menu = Menu([Item("a", "a", LONG), Item("b", "b", LONG)], label_width=3)
    assert rows_of(menu, 26, 4) == [
        " ▸ a   one two three four",
        "       five six seven",
        "   b   one two three four",
        "       five six seven",
    ]
    menu.is_airy = True
    assert rows_of(menu, 26, 5)[2:] == ["", "   b   one two three four", "       five six seven"]


def test_a_click_below_an_item_marks_it() -> None:
    menu = Menu([Item("a", "a", LONG), Item("b", "b", LONG)], label_width=3)
    links = menu.draw(26, 4).links
    assert [find_target(links, 8, y) for y in range(4)] == ["a", "a", "b", "b"]


def test_an_explanation_without_room_is_left_out_whole() -> None:
    menu = Menu([Item("a", "a", "play – Play a game against bots"), Item("b", "b", "quit")], label_width=3)
    menu.index = 1
    assert rows_of(menu, 26, 2) == ["   a   play", " ▸ b   quit"]


async def test_a_fitted_list_takes_the_rows_of_wrapped_texts() -> None:
    class Box(Gallery):
        def compose(self) -> ComposeResult:
            yield Menu([Item("a", "a", LONG), Item("b", "b", LONG)], label_width=3)

    async with Box(Canvas, DARK.name).run_test(size=(26, 12)) as pilot:
        menu = pilot.app.query_one(Menu)
        menu.fit_height(3)
        await eventually(lambda: menu.size.height == 3)
        menu.fit_height(9)
        await eventually(lambda: menu.size.height == 4)
        await pilot.resize_terminal(60, 12)
        await eventually(lambda: menu.size.height == 2)
