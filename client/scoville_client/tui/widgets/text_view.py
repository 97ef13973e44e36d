"""Text views: lines to scroll, or lines with a mark that begins at the newest."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.drawing.canvas import Canvas, Press, Target
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.fitted_box import fit_box_around

DOT, _INDENT = "· ", "  "
_BAR = 2
"""Columns of the scroll bar."""

Row = tuple[tuple[str, str], ...]
"""A row: pieces of text with their styles."""


class TextView(CanvasWidget):
    """Shows the lines that `lines` returns; stays at the end while lines are added, unless the user has scrolled up.

    `newest` is the style of the last line.
    """

    HEAD: ClassVar[int] = 0
    """Rows above the text, which do not scroll."""

    def __init__(self, lines: Callable[[], Sequence[str]], newest: str = "text") -> None:
        super().__init__()
        self._lines = lines
        self._newest = newest
        self._above: int | None = None
        self._written = self._counted = 0
        """Rows that were drawn, and those that the box around it knows."""

    @property
    def rows_above(self) -> int:
        """The number of rows hidden above."""
        return self.top_of(len(self.write_rows(self.size.width)))

    def count_rows(self, width: int) -> int:
        """Return the rows of all lines."""
        self._counted = self.HEAD + len(self.write_rows(width))
        return self._counted

    def drawn(self, canvas: Canvas) -> None:
        super().drawn(canvas)
        # Only when it is another number: a long log is read once for each key.
        if self._written != self._counted:
            fit_box_around(self)

    def top_of(self, rows: int) -> int:
        """Return the number of rows hidden above, where there are so many in total."""
        last = self.last_top(rows)
        return last if self._above is None else min(self._above, last)

    def last_top(self, rows: int) -> int:
        """Return the number of rows hidden above when scrolled to the end."""
        return max(0, rows + self.HEAD - self.size.height)

    def scroll_rows(self, rows: int) -> None:
        """Scroll by rows, as far as there are any."""
        total = len(self.write_rows(self.size.width))
        above = max(0, self.top_of(total) + rows)
        # None, not the last row: the view then follows the lines that are added.
        self._above = None if above >= self.last_top(total) else above
        self.repaint()

    def scroll_pages(self, pages: int) -> None:
        """Scroll by pages; one row of the previous page stays visible."""
        self.scroll_rows(pages * max(1, self.size.height - self.HEAD - 1))

    def to_start(self) -> None:
        """Go to the first line."""
        self.scroll_rows(-len(self.write_rows(self.size.width)))

    def stay_at_start(self) -> None:
        """Scroll to the first line and stay there when lines are added."""
        self._above = 0
        self.repaint()

    def to_end(self) -> None:
        """Go to the newest line."""
        self.scroll_rows(len(self.write_rows(self.size.width)))

    def draw(self, width: int, height: int) -> Canvas:
        canvas = Canvas(width, height)
        rows = self.write_rows(width)
        self.draw_rows(canvas, rows)
        if len(rows) > height:
            _draw_bar(canvas, self.top_of(len(rows)), len(rows))
        return canvas

    def draw_rows(self, canvas: Canvas, rows: Sequence[Row]) -> None:
        """Draw the visible ones of all rows."""
        self._written = self.HEAD + len(rows)
        top = self.top_of(len(rows))
        for y, row in enumerate(rows[top : top + canvas.height - self.HEAD], self.HEAD):
            x = 0
            for text, style in row:
                x = canvas.put(x, y, text, style)

    def write_rows(self, width: int) -> list[Row]:
        """Write the lines as rows of at most `width` cells."""
        lines = self._lines()
        styles = ["text"] * (len(lines) - 1) + [self._newest]
        # Without lines there is a style too many.
        return [row for line, style in zip(lines, styles, strict=False) for row in rows_of_line(line, width, style)]


def rows_of_line(line: str, width: int, style: str) -> list[Row]:
    """Wrap a line into rows of at most `width` cells, with a dot before the first one."""
    return put_sign(wrapped_line(line, width), style, DOT)


def wrapped_line(line: str, width: int) -> list[str]:
    """Wrap a line into rows of at most `width` cells, with room for a sign and the scroll bar."""
    return list(wrap_lines(line, width - len(DOT) - _BAR))


def put_sign(rows: Sequence[str], style: str, sign: str) -> list[Row]:
    """Put a sign before the first row of a line, and blanks before the others."""
    return [(((_INDENT if number else sign) + row, style),) for number, row in enumerate(rows)]


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


_MARK = "▸ "


class MarkedText(TextView):
    """Shows the lines that `lines` returns; `marked` is the number of the marked one, from 0.

    Lines are read and wrapped once for each picture: the log of a long game has a thousand.
    """

    def __init__(self, lines: Callable[[], Sequence[str]]) -> None:
        super().__init__(lines)
        self._marked: int | None = None
        self._shown: Sequence[str] = ()
        self._wrapping: tuple[Sequence[str], int, list[list[str]]] = (), 0, []

    @property
    def marked(self) -> int:
        """The number of the marked line; the newest one until another is marked."""
        last = len(self._shown) - 1
        return last if self._marked is None else min(self._marked, last)

    def mark(self, number: int) -> None:
        """Mark a line, also one of lines that are not drawn yet."""
        self._marked = number
        self.repaint()

    def scroll_rows(self, rows: int) -> None:
        """Move the mark by lines, as far as there are any."""
        last = len(self._shown) - 1
        marked = max(0, min(self.marked + rows, last))
        # None, not the last line: the mark then follows the lines that are added.
        self._marked = None if marked == last else marked
        self.repaint()

    def to_start(self) -> None:
        self.scroll_rows(-len(self._shown))

    def to_end(self) -> None:
        self.scroll_rows(len(self._shown))

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the visible rows; a click marks a line, and on the marked one it is Enter."""
        self._shown = self._lines()
        canvas = super().draw(width, height)
        top, marked = -self.rows_above, self.marked
        for number, rows in enumerate(self._wrap_shown(width)):
            if top < height and top + len(rows) > 0:
                canvas.link(0, top, width, len(rows), Press("enter") if number == marked else number)
            top += len(rows)
        return canvas

    def handle_click(self, target: Target) -> None:
        if isinstance(target, int):
            self.scroll_rows(target - self.marked)

    def count_rows(self, width: int) -> int:
        self._shown = self._lines()
        return super().count_rows(width)

    def top_of(self, rows: int) -> int:
        """Return the number of rows hidden above: the marked line is in the middle if there are enough rows."""
        before = sum(len(each) for each in self._wrap_shown(self.size.width)[: self.marked])
        return max(0, min(before - self.size.height // 2, self.last_top(rows)))

    def write_rows(self, width: int) -> list[Row]:
        marked = self.marked
        return [
            row
            for number, each in enumerate(self._wrap_shown(width))
            for row in (put_sign(each, "selected-pin", _MARK) if number == marked else put_sign(each, "text", DOT))
        ]

    def _wrap_shown(self, width: int) -> list[list[str]]:
        """Wrap the lines, unless they and the width are those of the last time."""
        shown, wide, wrapped = self._wrapping
        if wide != width or shown != self._shown:
            wrapped = [wrapped_line(line, width) for line in self._shown]
            self._wrapping = self._shown, width, wrapped
        return wrapped
