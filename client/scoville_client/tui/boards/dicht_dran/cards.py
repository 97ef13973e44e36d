"""How a card looks: a small box with its number, and its peppers as dots in the lower edge."""

from enum import Enum

from scoville_client.tui.drawing.canvas import Canvas

WIDTH = 6
HEIGHT = 3
PEPPER = "●"


class Edge(Enum):
    """The line around a card: top left, across, top right, down, bottom left, bottom right."""

    PLAIN = "╭─╮│╰╯"
    HEAVY = "┏━┓┃┗┛"
    DOUBLE = "╔═╗║╚╝"
    GHOST = "┌┄┐┊└┘"


def draw_card(canvas: Canvas, x: int, y: int, card: int, peppers: int, *, edge: Edge, style: str) -> None:
    """Draw a card face with its top left corner at (x, y); `style` colours the edge and the number."""
    top_left, across, top_right, down, bottom_left, bottom_right = edge.value
    canvas.put(x, y, top_left + across * 4 + top_right, style)
    canvas.put(x, y + 1, f"{down}{card:>3} {down}", style)
    canvas.put(x, y + 2, bottom_left + across * 4 + bottom_right, style)
    canvas.put(x + 1, y + 2, PEPPER * peppers, f"pepper{peppers}")


def draw_back(canvas: Canvas, x: int, y: int, style: str) -> None:
    """Draw a card that lies face down."""
    canvas.put(x, y, "╭────╮", style)
    canvas.put(x, y + 1, "│▒▒▒▒│", style)
    canvas.put(x, y + 2, "╰────╯", style)


def draw_ghost(canvas: Canvas, x: int, y: int, style: str) -> None:
    """Draw the empty place of a card."""
    canvas.put(x, y, "┌┄┄┄┄┐", style)
    canvas.put(x, y + 1, "┊    ┊", style)
    canvas.put(x, y + 2, "└┄┄┄┄┘", style)
