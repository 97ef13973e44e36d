"""Text view: lines to scroll, the newest at the end."""

from collections.abc import Callable, Iterator, Sequence

from scoville_client.i18n.wrapping import wrap
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.widgets.canvas_widget import CanvasWidget

_DOT, _INDENT = "· ", "  "
_BAR = 2
"""Columns of the scroll bar."""

Row = tuple[tuple[str, str], ...]
"""A row: pieces of text with their styles."""


class TextView(CanvasWidget):
    """Shows the lines that `lines` returns; stays at the end while lines are added, unless the user has scrolled up."""

    def __init__(self, lines: Callable[[], Sequence[str]]) -> None:
        super().__init__()
        self._lines = lines
        self._above: int | None = None

    @property
    def above(self) -> int:
        """The number of rows hidden above."""
        return self._last if self._above is None else min(self._above, self._last)

    def scroll_rows(self, rows: int) -> None:
        """Scroll by rows, as far as there are any."""
        above = max(0, self.above + rows)
        self._above = None if above >= self._last else above
        self.repaint()

    def scroll_pages(self, pages: int) -> None:
        """Scroll by pages; one row of the previous page stays visible."""
        self.scroll_rows(pages * max(1, self.size.height - 1))

    def to_start(self) -> None:
        """Go to the first line."""
        self.scroll_rows(-self.above)

    def begin(self) -> None:
        """Scroll to the first line and stay there when lines are added."""
        self._above = 0
        self.repaint()

    def to_end(self) -> None:
        """Go to the newest line."""
        self.scroll_rows(self._last)

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the visible rows and the scroll bar."""
        canvas = Canvas(width, height)
        rows = self.rows(width)
        above = self.above
        for y, row in enumerate(rows[above : above + height]):
            x = 0
            for text, style in row:
                x = canvas.put(x, y, text, style)
        if len(rows) > height:
            _draw_bar(canvas, above, len(rows))
        return canvas

    @property
    def _last(self) -> int:
        """The number of rows hidden above when scrolled to the end."""
        return max(0, len(self.rows(self.size.width)) - self.size.height)

    def rows(self, width: int) -> list[Row]:
        """Write the lines as rows of at most `width` cells."""
        lines = self._lines()
        return [row for number, line in enumerate(lines, 1) for row in _rows(line, width, newest=number == len(lines))]


def _rows(line: str, width: int, *, newest: bool) -> Iterator[Row]:
    for number, row in enumerate(wrap(line, width - len(_DOT) - _BAR)):
        yield (((_INDENT if number else _DOT) + row, "strong" if newest else "text"),)


def _draw_bar(canvas: Canvas, above: int, rows: int) -> None:
    """Draw the scroll bar in the last column."""
    height = canvas.height
    length = max(1, height * height // rows)
    top = round(above * (height - length) / (rows - height))
    for y in range(height):
        canvas.put(
            canvas.width - 1,
            y,
            "█" if top <= y < top + length else "│",
            "muted" if top <= y < top + length else "faint",
        )
