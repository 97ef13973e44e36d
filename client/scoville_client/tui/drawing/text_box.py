"""The log in a box: wrapped lines, the newest at the bottom."""

from collections.abc import Sequence

from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.drawing.canvas import Canvas


def draw_log(canvas: Canvas, x: int, y: int, width: int, height: int, lines: Sequence[str]) -> None:
    """Draw the end of a log in `width` x `height` cells, the newest line brightest."""
    if height < 1:
        return
    canvas.log = (x, y, width, height)
    rows: list[tuple[str, str]] = []
    for age, line in enumerate(reversed(lines)):
        style = "text" if age == 0 else "muted"
        wrapped = [(row, style) for row in wrap_lines(line, width - 2)]
        rows = [(("· " if number == 0 else "  ") + row, style) for number, (row, _) in enumerate(wrapped)] + rows
        if len(rows) >= height:
            break
    for offset, (row, style) in enumerate(rows[-height:]):
        canvas.put(x, y + offset, row, style)
