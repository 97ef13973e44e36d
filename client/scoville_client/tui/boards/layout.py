"""The base of the boards' layouts: bands of rows that share a window of any size, and a small arrangement."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from rich.cells import cell_len

from scoville_client.tui.drawing.canvas import Canvas, edge_of
from scoville_client.tui.drawing.frames import count_rows
from scoville_client.tui.drawing.status import put_status

MINIMUM = (46, 18)
"""Columns and rows of the smallest window."""
TALL = 30
"""Rows from which the parts of a board grow, in windows of any width."""

S = TypeVar("S")
Arrange = Callable[[Canvas, int, int, S], None]
"""Draws a scene on a canvas, in `width` columns from column `x` on: (canvas, x, width, scene)."""


class Band(NamedTuple):
    """Rows that a part of a board needs at `least`, can use at `most`, and its `share` of the rows between."""

    least: int
    most: int
    share: int = 1


_NOTICE = 120
"""Cells of a notice of usual length, which covers the log and nothing else."""
_COMPACT = 3
"""Part of a window's rows, one of so many, that its log gets where the user wants a compact board."""


def rows_for_log(lines: Sequence[str], width: int, height: int, most: int, *, compact: bool) -> int:
    """Return the rows of a log in `width` columns of a board of `height` rows; 0 where the board has none.

    A usual one has the rows that its lines need, up to `most`, but room for a notice.
    """
    if not lines:
        return 0
    least = -(-_NOTICE // max(1, width - _WRAPPED))
    return max(least, height // _COMPACT if compact else count_rows(lines, width, most))


_WRAPPED = 6
"""Cells of a row that its last word may leave free, with the sign before an entry."""


def share_rows(room: int, bands: Sequence[Band]) -> list[int]:
    """Share `room` rows among bands: each gets its least, earlier ones first, then all grow by their shares.

    Rows that no band can use go to the last one with a share, so that none at the bottom stays empty.
    """
    rows = []
    for band in bands:
        rows.append(min(band.least, room))
        room -= rows[-1]
    while room > 0:
        growing = [place for place, band in enumerate(bands) if band.share and rows[place] < band.most]
        if not growing:
            last = max((place for place, band in enumerate(bands) if band.share), default=None)
            if last is not None:
                rows[last] += room
            break
        # The one with the least of its due share grows first.
        place = min(growing, key=lambda place: ((rows[place] - bands[place].least) / bands[place].share, place))
        rows[place] += 1
        room -= 1
    return rows


def arrange_scene(
    scene: S, size: tuple[int, int], large_from: tuple[int, int], large: Arrange[S], small: Arrange[S]
) -> Canvas:
    """Draw a scene in a window of `size`, from edge to edge.

    Args:
        scene: The scene to draw.
        size: Columns and rows of the window; at least MINIMUM is drawn.
        large_from: Columns and rows from which the large arrangement fits; in TALL rows it does in any columns.
        large: Draws the arrangement whose parts grow with the window.
        small: Draws the arrangement for windows down to MINIMUM.
    """
    canvas = Canvas(max(size[0], MINIMUM[0]), max(size[1], MINIMUM[1]))
    edge = edge_of(canvas.width)
    fits = canvas.width >= large_from[0] and canvas.height >= large_from[1]
    arrange = large if fits or canvas.height >= TALL else small
    arrange(canvas, edge, canvas.width - 2 * edge, scene)
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
