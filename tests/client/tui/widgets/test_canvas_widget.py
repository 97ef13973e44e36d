"""Canvas widgets repaint the cells that changed, and an arrow key sends few bytes."""

import inspect
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, set_cell_size
from rich.console import RenderableType
from textual._compositor import CompositorUpdate
from textual.geometry import Region
from textual.screen import Screen

from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.boards.board import Board
from scoville_client.tui.terminal.output import Frame
from scoville_client.tui.widgets.canvas_widget import changed_spans
from tests.support.screens import WIDE, at_the_screen, start_practice

MOST_BYTES = 1_500
"""Bytes that an arrow key may send at 80 x 24 in full colour to a terminal whose cells are known."""

rows = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["x", "yy", " ", "語", "e\u0301", "long text"])))


def cells(row: list[tuple[str, str]], width: int) -> list[tuple[str, str]]:
    """The row as cells: a wide sign and the one behind it, a letter with its accent."""
    drawn: list[tuple[str, str]] = []
    for style, text in row:
        for char in text:
            if cell_len(char) == 0:
                drawn[-1] = (style, drawn[-1][1] + char)
            else:
                drawn += [(style, char), *[(style, "")] * (cell_len(char) - 1)]
    return drawn[:width]


@given(rows, rows)
def test_every_cell_that_differs_is_in_a_span(before: list[tuple[str, str]], after: list[tuple[str, str]]) -> None:
    width = 60
    old, new = (
        [*row, ("a", set_cell_size("", width - sum(cell_len(text) for _, text in row)))]
        for row in (before[:6], after[:6])
    )
    spans = list(changed_spans(old, new))
    assert all(0 <= start < end <= width for start, end in spans)
    painted = {column for start, end in spans for column in range(start, end)}
    pairs = enumerate(zip(cells(old, width), cells(new, width), strict=True))
    assert {column for column, (was, now) in pairs if was != now} <= painted
    assert not spans or old != new


def test_what_lies_far_from_a_change_is_not_painted_again() -> None:
    row = [("a", "1"), ("b", "x" * 30), ("a", "2"), ("b", "y" * 5), ("a", "3")]
    changed = [("c", "1"), ("b", "x" * 30), ("c", "2"), ("b", "y" * 5), ("c", "3")]
    assert list(changed_spans(row, changed)) == [(0, 1), (31, 38)]


@pytest.mark.parametrize("game", ["dicht_dran", "no_thanks", "chilli_chase"])
async def test_an_arrow_key_sends_few_bytes(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, sent = Frame("true"), list[str]()

    def display(app: ScovilleApp, screen: Screen[object], update: RenderableType | None) -> None:
        if isinstance(update, CompositorUpdate):
            sent.append(terminal.draw(update))
        show(app, screen, update)

    show = ScovilleApp._display
    monkeypatch.setattr(ScovilleApp, "_display", display)
    async with at_the_screen(start_practice(game=game), size=WIDE) as player:
        await player.until(lambda: player.app.screen.query(Board))
        await player.until(lambda: player.app.screen.query_one(Board).at.my_turn)
        await player.until(lambda: player.app.up_to_date)
        for key in ("right", "down", "left", "up", "right"):
            sent.clear()
            await player.press(key)
            assert len("".join(sent).encode()) <= MOST_BYTES, key
        assert sent, "the last key has moved the selection"


async def test_a_refresh_finds_the_size_and_the_theme_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async with at_the_screen(start_practice(), size=WIDE) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
        board, asked = player.app.screen.query_one(Board), Counter[str]()
        find_size, list_themes = (
            inspect.getattr_static(type(shown), name).fget
            for shown, name in ((board, "size"), (player.app, "available_themes"))
        )

        def counting(name: str, find: Callable[[Any], Any]) -> property:
            def found(owner: Any) -> Any:
                asked[name] += 1
                return find(owner)

            return property(found)

        monkeypatch.setattr(type(board), "size", counting("size", find_size))
        monkeypatch.setattr(type(player.app), "available_themes", counting("themes", list_themes))
        assert len(board.render_lines(Region(0, 0, *board._drawn_size))) > 10
        assert asked["size"] <= 3, "not for each row"
        assert not asked["themes"]


async def test_another_theme_is_the_one_in_use_at_once() -> None:
    async with at_the_screen(start_practice()) as player:
        for name in ("light", "dark", "light"):
            player.app.theme = name
            assert player.app.current_theme.name == name
