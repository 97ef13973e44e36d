"""Menus: what of the marked item has no room beside its label goes on below it."""

from scoville_client.tui.widgets.menu import Item, Menu

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
