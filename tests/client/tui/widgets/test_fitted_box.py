"""Boxes of lists and texts are as high as their contents, and fill the terminal only where they need to."""

import pytest

from scoville_client.tui.screens.table.table import LogDialog
from scoville_client.tui.widgets.fitted_box import MOST_ROWS, FittedBox
from tests.support.screens import at_the_screen

FRAME = 4
"""Rows of a box's border and padding."""
AROUND = 4
"""Rows of the heading and the keys, each with a blank one."""


@pytest.mark.parametrize("leads", [True, False])
@pytest.mark.parametrize(
    ("lines", "size", "height"),
    [
        (3, (80, 24), 3 + AROUND + FRAME),
        (300, (80, 24), 24),
        (300, (120, 60), MOST_ROWS + FRAME),
    ],
)
async def test_a_log_has_the_rows_that_it_needs(lines: int, size: tuple[int, int], height: int, leads: bool) -> None:
    async with at_the_screen(size=size) as player:
        player.app.open_dialog(LogDialog(lambda: [f"line {number}" for number in range(lines)], leads=leads))
        await player.until(lambda: player.sees_dialog("LogDialog"))
        assert player.app.screen.query_one(FittedBox).outer_size.height == height


@pytest.mark.parametrize("leads", [True, False])
async def test_a_box_grows_with_its_lines(leads: bool) -> None:
    lines: list[str] = []
    async with at_the_screen() as player:
        player.app.open_dialog(dialog := LogDialog(lambda: [*lines], leads=leads))
        await player.until(lambda: player.sees_dialog("LogDialog"))
        assert player.app.screen.query_one(FittedBox).outer_size.height == 1 + AROUND + FRAME
        lines += ["first", "second", "third"]
        dialog.text_view.repaint()
        await player.until(lambda: "third" in player.text and "first" in player.text)
        assert player.app.screen.query_one(FittedBox).outer_size.height == 3 + AROUND + FRAME
