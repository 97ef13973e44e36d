"""The log in a box: wrapped entries, the newest at the bottom."""

from collections.abc import Sequence

from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.drawing.canvas import Canvas, Run


def rows_of_log(lines: Sequence[str], width: int) -> list[Run]:
    """Wrap the entries of a log to rows of `width` cells: (style, text), the newest entry brightest."""
    return [row for entry in _entries(lines, width) for row in entry]


def draw_log(canvas: Canvas, x: int, y: int, width: int, height: int, lines: Sequence[str]) -> None:
    """Draw the end of a log in `width` x `height` cells.

    It begins with a whole entry; only where not even the newest one has room its end is left out.
    """
    if height < 1:
        return
    canvas.log = (x, y, width, height)
    shown: list[Run] = []
    for entry in reversed(_entries(lines[-height:], width)):
        if shown and len(entry) + len(shown) > height:
            break
        shown = [*entry, *shown]
    for offset, (style, row) in enumerate(shown[:height]):
        canvas.put(x, y + offset, row, style)


def _entries(lines: Sequence[str], width: int) -> list[list[Run]]:
    return [
        [
            ("text" if number == len(lines) else "muted", ("  " if place else "· ") + row)
            for place, row in enumerate(wrap_lines(line, width - 2))
        ]
        for number, line in enumerate(lines, 1)
    ]
