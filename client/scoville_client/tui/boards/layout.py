"""The base of the boards' layouts: one arrangement for wide windows, and one down to 46 x 18 cells."""

from collections.abc import Callable
from typing import TypeVar

from rich.cells import cell_len

from scoville_client.tui.drawing.canvas import Canvas, edge_of
from scoville_client.tui.drawing.status import put_status

MINIMUM = (46, 18)
"""Columns and rows of the smallest window."""
_WIDEST = 180
"""Columns beyond which a board is not drawn any wider."""

S = TypeVar("S")
Arrange = Callable[[Canvas, int, int, S], None]
"""Draws a scene on a canvas, in `width` columns from column `x` on: (canvas, x, width, scene)."""


def arrange_scene(
    scene: S, size: tuple[int, int], wide_from: tuple[int, int], wide: Arrange[S], narrow: Arrange[S]
) -> Canvas:
    """Draw a scene by the arrangement that fits a window of `size`, in the middle of it.

    Args:
        scene: What is drawn.
        size: Columns and rows of the window; at least MINIMUM is drawn.
        wide_from: Columns and rows from which on the wide arrangement fits.
        wide: Draws the wide arrangement.
        narrow: Draws the narrow one.
    """
    canvas = Canvas(max(size[0], MINIMUM[0]), max(size[1], MINIMUM[1]))
    is_wide = canvas.width >= wide_from[0] and canvas.height >= wide_from[1]
    width = min(canvas.width - 2 * edge_of(canvas.width), _WIDEST)
    (wide if is_wide else narrow)(canvas, (canvas.width - width) // 2, width, scene)
    return canvas


def draw_header(
    canvas: Canvas, area: tuple[int, int, int], title: str, status: str, piles: str, *, paused: bool
) -> None:
    """Draw the row at the top: the game's title, its status as far as there is room, the piles at the right end.

    `area` is the first column, the row, and how many columns there are.
    """
    x, y, width = area
    right = x + width - cell_len(piles)
    column = canvas.put(x, y, title, "title") + 2
    put_status(canvas, column, y, right, status, paused=paused)
    canvas.put(right, y, piles, "muted")
