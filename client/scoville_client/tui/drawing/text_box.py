"""The log in a box: wrapped entries, the newest at the bottom."""

from collections.abc import Sequence
from functools import lru_cache

from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.drawing.canvas import Canvas, Run


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
    for number in reversed(range(len(lines))):
        entry = _rows_of_entry(lines, number, width)
        if shown and len(entry) + len(shown) > height:
            break
        shown = [*entry, *shown]
    for offset, (style, row) in enumerate(shown[:height]):
        canvas.put(x, y + offset, row, style)


def _rows_of_entry(lines: Sequence[str], number: int, width: int) -> list[Run]:
    style = "text" if number == len(lines) - 1 else "muted"
    return [(style, row) for row in _wrap_entry(lines[number], width)]


@lru_cache(maxsize=512)  # each frame of a story shows the same entries
def _wrap_entry(line: str, width: int) -> tuple[str, ...]:
    rows = wrap_lines(line, width - 2)
    return tuple(("  " if place else "· ") + row for place, row in enumerate(rows))
