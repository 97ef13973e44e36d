"""Frames: boxes with a heading and a footnote in their edges, whose shape says what they are; and the log in a box."""

from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache
from itertools import accumulate

from rich.cells import cell_len

from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.drawing.canvas import Area, Canvas, Run, fit_text


def count_rows(lines: Sequence[str], width: int, most: int) -> int:
    """Count the rows of a log in `width` cells, up to `most`."""
    rows = 0
    for line in reversed(lines):
        rows += len(_wrap_entry(line, width))
        if rows >= most:
            return most
    return rows


def draw_log(canvas: Canvas, x: int, y: int, width: int, height: int, lines: Sequence[str]) -> None:
    """Draw the end of a log in `width` x `height` cells.

    It begins with a whole entry; only where not even the newest one has room its end is left out.
    """
    if height < 1:
        return
    canvas.log = (x, y, width, height)
    shown: list[Run] = []
    heights: list[int] = []
    for number in reversed(range(len(lines))):
        entry = _rows_of_entry(lines, number, width)
        if shown and len(entry) + len(shown) > height:
            break
        shown = [*entry, *shown]
        heights.append(len(entry))
    for offset, (style, row) in enumerate(shown[:height]):
        canvas.put(x, y + offset, row, style)
    canvas.log_ends = (*accumulate(reversed(heights)),)


def _rows_of_entry(lines: Sequence[str], number: int, width: int) -> list[Run]:
    style = "text" if number == len(lines) - 1 else "muted"
    return [(style, row) for row in _wrap_entry(lines[number], width)]


@lru_cache(maxsize=512)  # each frame of a story shows the same entries
def _wrap_entry(line: str, width: int) -> tuple[str, ...]:
    rows = wrap_lines(line, width - 2)
    return tuple(("  " if place else "· ") + row for place, row in enumerate(rows))


class Edge(Enum):
    """The line around a box: top left, across, top right, down, bottom left, bottom right."""

    PLAIN = "╭─╮│╰╯"
    HEAVY = "┏━┓┃┗┛"
    DOUBLE = "╔═╗║╚╝"
    GHOST = "┌┄┐┊└┘"


def draw_frame(canvas: Canvas, area: Area, edge: Edge, style: str, head: str = "", foot: str = "") -> None:
    """Draw a box with blank cells inside; `head` is written into its upper edge, `foot` into its lower one."""
    x, y, width, height = area
    top_left, across, top_right, down, bottom_left, bottom_right = edge.value
    inside = width - 2
    canvas.put(x, y, top_left + across * inside + top_right, style)
    for row in range(1, height - 1):
        canvas.put(x, y + row, down + " " * inside + down, style)
    canvas.put(x, y + height - 1, bottom_left + across * inside + bottom_right, style)
    if head and width > _CORNERS:
        text, line = _fit_edge(head, width)
        canvas.put(x + 1 + line, y, text, style)
    if foot and width > _CORNERS:
        text, line = _fit_edge(foot, width)
        canvas.put_right(x + width - 1 - line, y + height - 1, text, style)


_CORNERS = 6
"""Cells of an edge that its text leaves free: the corners, and a line and a blank at both ends."""


def fits_edge(text: str, width: int) -> bool:
    """Whether a frame of so many columns has room for a whole text in its edge."""
    return cell_len(text) <= width - _CORNERS + 2


def _fit_edge(text: str, width: int) -> tuple[str, int]:
    """Return the text of an edge between blanks, and how many cells of the line are before it.

    A text that has room only without that line is not cut.
    """
    if cell_len(text) <= width - _CORNERS:
        return f" {text} ", 1
    if fits_edge(text, width):
        return f" {text} ", 0
    return f" {fit_text(text, width - _CORNERS)} ", 1


def inside_of(area: Area) -> Area:
    """Return the cells within the edges of a box."""
    x, y, width, height = area
    return x + 1, y + 1, width - 2, height - 2


def list_tiles(area: Area, count: int, across: int) -> Iterator[Area]:
    """Yield the places of so many tiles, `across` in a row; those of the last row share its whole width."""
    x, y, width, height = area
    lines = -(-count // across)
    for number in range(count):
        line, place = divmod(number, across)
        beside = min(across, count - line * across)
        # Both edges from the whole, not one from a rounded width: the tiles then fill the area to its last cell.
        left, right = x + place * width // beside, x + (place + 1) * width // beside
        top, end = y + line * height // lines, y + (line + 1) * height // lines
        yield left, top, right - left, end - top


_SHADED = 9
"""Rows from which on a face is shaded: its number leaves large parts of it blank."""


def draw_shade(canvas: Canvas, area: Area, style: str, least: int = _SHADED) -> None:
    """Shade the face of a card of at least so many rows, which makes it a body rather than an outline."""
    x, y, width, height = area
    if height >= least:
        for row in range(height):
            canvas.put(x, y + row, "░" * width, style)
