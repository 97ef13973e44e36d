"""Large numbers: three by five blocks a digit, in a sign that every terminal has."""

from collections.abc import Sequence
from typing import NamedTuple

from scoville_client.tui.drawing.canvas import Area, Canvas

ROWS = 5
_BLOCK = "█"
SHAPES = {
    "-": ("  ", "  ", "##", "  ", "  "),
    "0": ("###", "# #", "# #", "# #", "###"),
    "1": (" # ", "## ", " # ", " # ", "###"),
    "2": ("###", "  #", "###", "#  ", "###"),
    "3": ("###", "  #", "###", "  #", "###"),
    "4": ("# #", "# #", "###", "  #", "  #"),
    "5": ("###", "#  ", "###", "  #", "###"),
    "6": ("###", "#  ", "###", "# #", "###"),
    "7": ("###", "  #", "  #", "  #", "  #"),
    "8": ("###", "# #", "###", "# #", "###"),
    "9": ("###", "# #", "###", "  #", "###"),
}
"""The rows of each digit from top to bottom; `#` is a block."""
_SIGNS = {
    **SHAPES,
    "−": SHAPES["-"],
    "+": ("   ", " # ", "###", " # ", "   "),
    "×": ("   ", "# #", " # ", "# #", "   "),
    "÷": (" # ", "   ", "###", "   ", " # "),
    "=": ("   ", "###", "   ", "###", "   "),
    "^": (" # ", "# #", "   ", "   ", "   "),
    "(": (" #", "# ", "# ", "# ", " #"),
    ")": ("# ", " #", " #", " #", "# "),
    " ": ("  ", "  ", "  ", "  ", "  "),
    "?": ("###", "  #", " ##", "   ", " # "),
}
_WIDEST_BLOCK = 3
"""Columns of a block for each of its rows at most: what is flatter is hard to read."""


class Block(NamedTuple):
    """How many cells a block of a figure is wide and tall."""

    wide: int
    tall: int


def has_figures(text: str) -> bool:
    """Whether every sign of a text can be drawn large."""
    return bool(text) and all(sign in _SIGNS for sign in text)


def width_of_figure(text: str, wide: int) -> int:
    """Return how many columns a text takes with blocks of `wide` cells, the signs half a block apart."""
    return sum(len(_SIGNS[sign][0]) for sign in text) * wide + (len(text) - 1) * _gap_width(wide)


def _gap_width(wide: int) -> int:
    return max(1, wide // 2)


def fit_block(texts: Sequence[str], width: int, height: int) -> Block | None:
    """Return the largest blocks with which each of `texts` has room; None where even the smallest have none."""
    if not all(map(has_figures, texts)):
        return None
    for tall in range(height // ROWS, 0, -1):
        for wide in range(_WIDEST_BLOCK * tall, tall - 1, -1):
            if all(width_of_figure(text, wide) <= width for text in texts):
                return Block(wide, tall)
    return None


def draw_figure(canvas: Canvas, area: Area, text: str, style: str, block: Block | None = None) -> bool:
    """Draw a number or a sign in the middle of an area, as large as it fits or in blocks of a size.

    In an area without room for blocks it is written plainly; returns whether it is large.
    """
    x, y, width, height = area
    block = block or fit_block([text], width, height)
    if block is None:
        canvas.put_centred(x, width, y + (height - 1) // 2, text, style)
        return False
    x += (width - width_of_figure(text, block.wide)) // 2
    y += (height - ROWS * block.tall) // 2
    for sign in text:
        for row in range(ROWS * block.tall):
            _draw_row(canvas, x, y + row, _SIGNS[sign][row // block.tall], block.wide, style)
        x += len(_SIGNS[sign][0]) * block.wide + _gap_width(block.wide)
    return True


def width_of_number(number: int, wide: int) -> int:
    """Return how many columns `number` takes with blocks of `wide` cells."""
    return sum(len(SHAPES[sign][0]) + 1 for sign in str(number)) * wide - wide


def draw_number(canvas: Canvas, x: int, y: int, number: int, wide: int, style: str, tall: int = 1) -> None:
    """Draw `number` in ROWS * `tall` rows from (x, y) on, each block `wide` x `tall` cells."""
    for sign in str(number):
        for row in range(ROWS * tall):
            _draw_row(canvas, x, y + row, SHAPES[sign][row // tall], wide, style)
        x += (len(SHAPES[sign][0]) + 1) * wide


def _draw_row(canvas: Canvas, x: int, y: int, blocks: str, wide: int, style: str) -> None:
    for index, block in enumerate(blocks):
        if block == "#":
            canvas.put(x + index * wide, y, _BLOCK * wide, style)
