"""How a card looks: a box with its number, and its peppers as dots in the lower edge."""

from enum import Enum
from typing import NamedTuple

from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.digits import ROWS, draw_number, width_of_number

PEPPER = "●"


class Size(NamedTuple):
    """Columns and rows of a card; a `large` one has its number in blocks, and once more in its upper edge."""

    width: int
    height: int
    large: bool = False


SMALL = Size(6, 3)
MIDDLE = Size(9, 5)
LARGE = Size(11, 7, large=True)
WIDEST = Size(13, 7, large=True)
"""The size in which 100 has room."""


class Edge(Enum):
    """The line around a card: top left, across, top right, down, bottom left, bottom right."""

    PLAIN = "╭─╮│╰╯"
    HEAVY = "┏━┓┃┗┛"
    DOUBLE = "╔═╗║╚╝"
    GHOST = "┌┄┐┊└┘"


def draw_card(
    canvas: Canvas, x: int, y: int, card: int, peppers: int, *, edge: Edge, style: str, size: Size = SMALL
) -> None:
    """Draw a card face with its top left corner at (x, y); `style` colours the edge and the number."""
    _draw_box(canvas, x, y, size, edge, style)
    if size.large:
        left = x + (size.width - width_of_number(card, 1)) // 2
        draw_number(canvas, left, y + (size.height - ROWS) // 2, card, 1, style)
        canvas.put(x + 2, y, f" {card} ", style)
    else:
        canvas.put_centred(x + 1, size.width - 2, y + size.height // 2, f"{card:>3} ", style)
    canvas.put(x + 1, y + size.height - 1, PEPPER * peppers, f"pepper{peppers}")


def draw_back(canvas: Canvas, x: int, y: int, style: str, size: Size = SMALL) -> None:
    """Draw a card that lies face down."""
    _draw_box(canvas, x, y, size, Edge.PLAIN, style)
    for row in range(1, size.height - 1):
        canvas.put(x + 1, y + row, "▒" * (size.width - 2), style)


def draw_ghost(canvas: Canvas, x: int, y: int, style: str, size: Size = SMALL) -> None:
    """Draw the empty place of a card."""
    _draw_box(canvas, x, y, size, Edge.GHOST, style)


def _draw_box(canvas: Canvas, x: int, y: int, size: Size, edge: Edge, style: str) -> None:
    top_left, across, top_right, down, bottom_left, bottom_right = edge.value
    inside = size.width - 2
    canvas.put(x, y, top_left + across * inside + top_right, style)
    for row in range(1, size.height - 1):
        canvas.put(x, y + row, down + " " * inside + down, style)
    canvas.put(x, y + size.height - 1, bottom_left + across * inside + bottom_right, style)
