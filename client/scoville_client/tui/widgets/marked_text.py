"""Marked text: lines of which one is marked, the newest at first; the keys that scroll move the mark."""

from collections.abc import Callable, Sequence

from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.targets import Press, Target
from scoville_client.tui.widgets.text_view import Row, TextView, rows_of_line


class MarkedText(TextView):
    """Shows the lines that `lines` returns; `marked` is the number of the marked one, from 0."""

    def __init__(self, lines: Callable[[], Sequence[str]]) -> None:
        super().__init__(lines)
        self._marked: int | None = None

    @property
    def marked(self) -> int:
        """The number of the marked line; the newest one until another is marked."""
        last = len(self._lines()) - 1
        return last if self._marked is None else min(self._marked, last)

    def scroll_rows(self, rows: int) -> None:
        """Move the mark by lines, as far as there are any."""
        last = len(self._lines()) - 1
        marked = max(0, min(self.marked + rows, last))
        self._marked = None if marked == last else marked
        self.repaint()

    def to_start(self) -> None:
        """Mark the first line."""
        self.scroll_rows(-len(self._lines()))

    def to_end(self) -> None:
        """Mark the newest line."""
        self.scroll_rows(len(self._lines()))

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the visible rows; a click marks a line, and on the marked one it is Enter."""
        canvas = super().draw(width, height)
        top = -self.above
        for number, rows in enumerate(self._wrapped(width)):
            canvas.link(0, top, width, len(rows), Press("enter") if number == self.marked else number)
            top += len(rows)
        return canvas

    def clicked(self, target: Target) -> None:
        """Mark a line."""
        if isinstance(target, int):
            self.scroll_rows(target - self.marked)

    @property
    def above(self) -> int:
        """The number of rows hidden above: the marked line is visible, in the middle if there are enough rows."""
        before = sum(len(each) for each in self._wrapped(self.size.width)[: self.marked])
        return max(0, min(before - self.size.height // 2, self._last))

    def rows(self, width: int) -> list[Row]:
        """Write the lines as rows, the marked one highlighted."""
        return [row for each in self._wrapped(width) for row in each]

    def _wrapped(self, width: int) -> list[list[Row]]:
        lines, marked = self._lines(), self.marked
        return [
            list(rows_of_line(line, width, *(("selected-pin", "▸ ") if number == marked else ("text",))))
            for number, line in enumerate(lines)
        ]
