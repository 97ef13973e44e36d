"""Marked text: lines of which one is marked, the newest at first; the keys that scroll move the mark."""

from collections.abc import Callable, Sequence

from scoville_client.tui.drawing.canvas import Canvas, Press, Target
from scoville_client.tui.widgets.text_view import DOT, Row, TextView, put_sign, wrapped_line

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
        top, marked = -self.above, self.marked
        for number, rows in enumerate(self._wrapped(width)):
            if top < height and top + len(rows) > 0:
                canvas.link(0, top, width, len(rows), Press("enter") if number == marked else number)
            top += len(rows)
        return canvas

    def clicked(self, target: Target) -> None:
        if isinstance(target, int):
            self.scroll_rows(target - self.marked)

    def top_of(self, rows: int) -> int:
        """Return the number of rows hidden above: the marked line is in the middle if there are enough rows."""
        before = sum(len(each) for each in self._wrapped(self.size.width)[: self.marked])
        return max(0, min(before - self.size.height // 2, self.last_top(rows)))

    def rows(self, width: int) -> list[Row]:
        marked = self.marked
        return [
            row
            for number, each in enumerate(self._wrapped(width))
            for row in (put_sign(each, "selected-pin", _MARK) if number == marked else put_sign(each, "text", DOT))
        ]

    def _wrapped(self, width: int) -> list[list[str]]:
        """Wrap the lines, unless they and the width are those of the last time."""
        shown, wide, wrapped = self._wrapping
        if wide != width or shown != self._shown:
            wrapped = [wrapped_line(line, width) for line in self._shown]
            self._wrapping = self._shown, width, wrapped
        return wrapped
