"""How a card looks: a box with its number, as large as there is room, and its peppers as dots in the lower edge."""

from scoville_client.tui.drawing.canvas import Area, Canvas
from scoville_client.tui.drawing.digits import ROWS, draw_figure, fit_block
from scoville_client.tui.drawing.frames import Edge, draw_frame, draw_shade, inside_of

__all__ = ["HEIGHT", "PEPPER", "WIDTH", "Edge", "draw_back", "draw_card", "draw_ghost"]

PEPPER = "●"
WIDTH, HEIGHT = 6, 3
"""Columns and rows of the smallest card."""
LARGE_HEIGHT = ROWS + 2
"""Rows of a card from which on its number is in blocks."""


def draw_card(canvas: Canvas, area: Area, card: int, peppers: int, *, edge: Edge, style: str) -> None:
    """Draw a card face; `style` colours the edge and the number.

    A number in blocks is in the upper edge once more, for eyes that look for it there.
    """
    x, y, width, height = area
    inside = inside_of(area)
    block = fit_block([str(card)], inside[2], inside[3])
    draw_frame(canvas, area, edge, style, str(card) if block else "")
    if block is None:
        canvas.put_centred(x + 1, width - 2, y + height // 2, f"{card:>3} ", style)
    else:
        draw_shade(canvas, inside, style)
        draw_figure(canvas, inside, str(card), style, block)
    canvas.put(x + 1, y + height - 1, PEPPER * peppers, f"pepper{peppers}")


def draw_back(canvas: Canvas, area: Area, style: str) -> None:
    """Draw a card that lies face down."""
    draw_frame(canvas, area, Edge.PLAIN, style)
    x, y, width, height = inside_of(area)
    for row in range(height):
        canvas.put(x, y + row, "▒" * width, style)


def draw_ghost(canvas: Canvas, area: Area, style: str) -> None:
    """Draw the empty place of a card."""
    draw_frame(canvas, area, Edge.GHOST, style)
