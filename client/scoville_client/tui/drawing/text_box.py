"""Text in a box: wrapped, the newest at the bottom."""

import re
from collections.abc import Iterator, Sequence

from scoville_client.tui.drawing.canvas import Canvas, width_of

_BLANKS = re.compile(r"[ \n]+")
"""Where a row may end: not at the blank that belongs to a French colon."""


def draw_log(canvas: Canvas, x: int, y: int, width: int, height: int, lines: Sequence[str]) -> None:
    """Draw the end of a log in `width` x `height` cells, the newest line brightest."""
    if height > 0:
        canvas.log = (x, y, width, height)
    rows: list[tuple[str, str]] = []
    for age, line in enumerate(reversed(lines)):
        style = "text" if age == 0 else "muted"
        wrapped = [(row, style) for row in wrap(line, width - 2)]
        rows = [(("· " if number == 0 else "  ") + row, style) for number, (row, _) in enumerate(wrapped)] + rows
        if len(rows) >= height:
            break
    for offset, (row, style) in enumerate(rows[-height:]):
        canvas.put(x, y + offset, row, style)


def wrap(text: str, width: int) -> Iterator[str]:
    """Break `text` between words into rows of at most `width` cells (2 or more); a longer word is cut."""
    width = max(width, 2)
    row = ""
    for word in (piece for long in _BLANKS.split(text.strip()) for piece in _pieces(long, width)):
        joined = f"{row} {word}" if row else word
        if width_of(joined) > width:
            yield row
            joined = word
        row = joined
    if row:
        yield row


def _pieces(word: str, width: int) -> Iterator[str]:
    while width_of(word) > width:
        yield word[: width // 2]  # half of it: a character may be two cells wide
        word = word[width // 2 :]
    yield word
