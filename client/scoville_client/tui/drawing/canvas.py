"""A sheet of character cells to draw on: every cell holds a character and the name of its style."""

from collections.abc import Iterator
from itertools import groupby
from unicodedata import combining, east_asian_width

Run = tuple[str, str]
"""Text of one style: (style name, text)."""
Area = tuple[int, int, int, int]
"""Cells: the column and row of the first, how many columns and rows."""

_BLANKS = "\u00a0\u202f"
"""Blanks at which no row ends."""


class Canvas:
    """`width` x `height` cells, (0, 0) at the top left. Drawing outside of it is clipped.

    `log` is the area of what has happened, if there is one: a notice may cover that, and nothing else.
    """

    log: Area | None = None

    def __init__(self, width: int, height: int, style: str = "blank") -> None:
        self.width = width
        self.height = height
        self._chars = [[" "] * width for _ in range(height)]
        self._styles = [[style] * width for _ in range(height)]

    def put(self, x: int, y: int, text: str, style: str | None = None) -> int:
        """Write `text` from (x, y) to the right; without a style the cells keep theirs. Returns the next column."""
        for char in text:
            x = self._put_char(x, y, char, style)
        return x

    def _put_char(self, x: int, y: int, char: str, style: str | None) -> int:
        cells = cell_width(char)
        if not char.isprintable() and char not in _BLANKS:  # a control character would not be drawn but obeyed
            char = " " * min(cells, 1)
        if not (0 <= y < self.height and 0 <= x <= self.width - cells):
            return x + cells
        if cells == 0:
            self._chars[y][max(x - 1, 0)] += char
            return x
        row, styles = self._chars[y], self._styles[y]
        row[x : x + cells] = [char, ""][:cells]
        if style is not None:
            styles[x : x + cells] = [style] * cells
        return x + cells

    def put_right(self, right: int, y: int, text: str, style: str | None = None) -> None:
        """Write `text` so that it ends before column `right`."""
        self.put(right - width_of(text), y, text, style)

    def put_centred(self, x: int, width: int, y: int, text: str, style: str | None = None) -> None:
        """Write `text` in the middle of `width` columns from x on."""
        self.put(x + max(0, (width - width_of(text)) // 2), y, text, style)

    def restyle(self, x: int, y: int, width: int, style: str) -> None:
        """Give `width` cells from (x, y) on another style."""
        for column in range(max(x, 0), min(x + width, self.width)):
            self._styles[y][column] = style

    def char(self, x: int, y: int) -> str:
        """Read the character at (x, y)."""
        return self._chars[y][x]

    def style(self, x: int, y: int) -> str:
        """Read the name of the style at (x, y)."""
        return self._styles[y][x]

    def runs(self, y: int) -> Iterator[Run]:
        """Cut row `y` into runs of one style."""
        cells = zip(self._styles[y], self._chars[y], strict=True)
        for style, run in groupby(cells, key=lambda cell: cell[0]):
            yield style, "".join(char for _, char in run)

    def line(self, y: int) -> str:
        """Read row `y` as plain text."""
        return "".join(self._chars[y])

    def __str__(self) -> str:
        return "\n".join(self.line(y).rstrip() for y in range(self.height))


def cell_width(char: str) -> int:
    """Say how many cells a character takes: 0, 1 or 2."""
    if char < "\u0300":
        return 1
    if combining(char) or char in "\u200b\u200c\u200d\ufe0e\ufe0f":
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def width_of(text: str) -> int:
    """Say how many cells `text` takes."""
    return sum(map(cell_width, text))


def fitted(text: str, width: int) -> str:
    """Shorten `text` to `width` cells, with a mark where something was cut, and fill up with blanks."""
    if width < 1:
        return ""
    if width_of(text) > width:
        while width_of(text) > width - 1:
            text = text[:-1]
        text += "…"
    return text + " " * (width - width_of(text))
