"""Frames: boxes with a heading and a footnote in their edges, whose shape says what they are."""

from enum import Enum

from rich.cells import cell_len

from scoville_client.tui.drawing.canvas import Area, Canvas, fitted


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
        canvas.put(x + 2, y, f" {_cut(head, width - _CORNERS)} ", style)
    if foot and width > _CORNERS:
        text = f" {_cut(foot, width - _CORNERS)} "
        canvas.put_right(x + width - 2, y + height - 1, text, style)


_CORNERS = 6
"""Cells of an edge that its text leaves free: the corners, and a line and a blank at both ends."""


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else fitted(text, width)


def inside_of(area: Area) -> Area:
    """Return the cells within the edges of a box."""
    x, y, width, height = area
    return x + 1, y + 1, width - 2, height - 2


_SHADED = 9
"""Rows from which on a face is shaded: its number leaves large parts of it blank."""


def draw_shade(canvas: Canvas, area: Area, style: str, least: int = _SHADED) -> None:
    """Shade the face of a card of at least so many rows, which makes it a body rather than an outline."""
    x, y, width, height = area
    if height >= least:
        for row in range(height):
            canvas.put(x, y + row, "░" * width, style)
