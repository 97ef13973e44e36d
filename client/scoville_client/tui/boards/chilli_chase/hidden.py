"""A hand as everybody else sees it: face down."""

from collections.abc import Sequence

from scoville_client.tui.drawing.canvas import Canvas

HEIGHT = 4
_BACK: Sequence[str] = ("╭────╮", "│▒▒▒▒│", "╰────╯")
_STEP = 8


def draw_hidden(canvas: Canvas, x: int, y: int, count: int) -> None:
    """Draw the backs of `count` cards in HEIGHT rows from (x, y) on, the first row left blank."""
    for card in range(count):
        for offset, row in enumerate(_BACK, 1):
            canvas.put(x + card * _STEP, y + offset, row, "muted")
