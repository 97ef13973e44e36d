"""Canvas: a grid of cells, each with a character and the name of its style, and what a click on it stands for."""

from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size, split_graphemes

from scoville_client.i18n.wrapping import cut_text


class Press(NamedTuple):
    """The key that a click presses, as Textual names it."""

    key: str


Target = Hashable
"""A `Press`, or anything that the widget of the canvas knows, such as the id of a row."""


class Link(NamedTuple):
    """A rectangle of cells, its first column and row, and what a click there stands for."""

    x: int
    y: int
    width: int
    height: int
    target: Target


def find_target(links: Sequence[Link], x: int, y: int) -> Target | None:
    """Return the target of a cell: of the link that was made last where several overlap; None without one."""
    for link in reversed(links):
        if link.x <= x < link.x + link.width and link.y <= y < link.y + link.height:
            return link.target
    return None


Run = tuple[str, str]
"""Text in one style: (style name, text)."""
Area = tuple[int, int, int, int]
"""A rectangle of cells: column and row of the first, number of columns and rows."""


class Face(NamedTuple):
    """The face of a card that a terminal with pictures may show as one.

    Attributes:
        area: Its cells, which were drawn for all other terminals.
        text: The number on it.
        peppers: How many are below the number.
        drawn: The characters and the styles of each row; where these have changed, something covers the face.
    """

    area: Area
    text: str
    peppers: int
    drawn: Sequence[tuple[Sequence[str], Sequence[str]]]


PICTURE = "picture"
"""The style of cells that show a part of a picture."""
HOVERED = " hovered"
"""Ends the name of a style whose cells are under the pointer."""
ADDRESS = " address="
"""Comes in the name of a style before the address that its cells open, in terminals that know links."""
WIDE_FROM = 76
"""Columns from which on drawings have wider edges."""

_JOINER = "\u200d"
_KEPT = f"\u00a0\u202f{_JOINER}"
"""Blanks at which no row may break, and the joiner of emoji."""
_LEFT_OUT = dict.fromkeys(map(ord, "\u200b\u200c"))
"""Invisible characters that only control line breaks and ligatures."""


class Canvas:
    """A grid of `width` x `height` cells, (0, 0) at the top left. Drawing outside of it is clipped.

    `log` is the area of the log, if one was drawn: the only cells that a notice may cover. `log_ends` counts the rows
    from its top to the end of each entry. `links` are what can be clicked, `marks` areas that a drawing has named, for
    callouts that point at them, `faces` the cards that may be pictures.
    """

    log: Area | None = None
    log_ends: tuple[int, ...] = ()

    def __init__(self, width: int, height: int, style: str = "blank") -> None:
        self.width = width
        self.height = height
        self._chars = [[" "] * width for _ in range(height)]
        self._styles = [[style] * width for _ in range(height)]
        self.links: list[Link] = []
        self.marks: dict[str, Area] = {}
        self.faces: list[Face] = []

    def put(self, x: int, y: int, text: str, style: str | None = None) -> int:
        """Write `text` from (x, y) to the right; without a style the cells keep theirs. Returns the next column."""
        cells = _split_cells(text)
        start, end = max(x, 0), min(x + len(cells), self.width)
        if start < end < x + len(cells) and not cells[end - x]:
            end -= 1  # of a wide sign only the first half would fit
        if start < end and not cells[start - x]:
            start += 1  # or only the second
        if 0 <= y < self.height and start < end:
            self._put_cells(start, y, cells[start - x : end - x], style)
        return x + len(cells)

    def _put_cells(self, x: int, y: int, cells: Sequence[str], style: str | None) -> None:
        row, end = self._chars[y], x + len(cells)
        if not row[x] and x:  # the second cell of a wide sign: a half of it cannot stay
            row[x - 1] = " "
        # The same behind the text, where the first half is overwritten.
        if end < self.width and not row[end]:
            row[end] = " "
        row[x:end] = cells
        if style is not None:
            self._styles[y][x:end] = [style] * len(cells)

    def put_right(self, right: int, y: int, text: str, style: str | None = None) -> None:
        """Write `text` so that it ends before column `right`."""
        self.put(right - cell_len(text), y, text, style)

    def put_centred(self, x: int, width: int, y: int, text: str, style: str | None = None) -> None:
        """Write `text` in the middle of `width` columns from x on."""
        self.put(x + max(0, (width - cell_len(text)) // 2), y, text, style)

    def restyle(self, x: int, y: int, width: int, style: str) -> None:
        """Change the style of `width` cells from (x, y) on."""
        for column in range(max(x, 0), min(x + width, self.width)):
            self._styles[y][column] = style

    def highlight(self, target: Target) -> None:
        """Lighten the cells of a target, for the pointer that is over it."""
        for link in self.links:
            if link.target == target:
                for y in range(max(link.y, 0), min(link.y + link.height, self.height)):
                    for x in range(max(link.x, 0), min(link.x + link.width, self.width)):
                        self._styles[y][x] += HOVERED

    def open_address(self, address: str) -> None:
        """Let the cells that show an address open it; one that is broken over two rows opens nothing."""
        cells = list(address)
        for row, styles in zip(self._chars, self._styles, strict=True):
            for x in range(self.width - len(cells) + 1):
                if row[x : x + len(cells)] == cells:
                    styles[x : x + len(cells)] = [f"{style}{ADDRESS}{address}" for style in styles[x : x + len(cells)]]

    def link(self, x: int, y: int, width: int, height: int, target: Target) -> None:
        """Let a click on `width` x `height` cells from (x, y) on stand for `target`; later links cover others."""
        self.links.append(Link(x, y, width, height, target))

    def note_face(self, area: Area, text: str, peppers: int = 0) -> None:
        """Note that an area, as it is drawn now, is the face of a card; only one that is whole may be a picture."""
        x, y, width, height = area
        if x >= 0 and y >= 0 and x + width <= self.width and y + height <= self.height:
            rows = range(y, y + height)
            drawn = [(self._chars[row][x : x + width], self._styles[row][x : x + width]) for row in rows]
            self.faces.append(Face(area, text, peppers, drawn))

    def show_picture(self, face: Face, cells: Sequence[Sequence[str]]) -> None:
        """Show a picture in place of a face, by a sign for each cell; what has been drawn over it stays."""
        x, top, width, _ = face.area
        for y, (signs, (chars, styles)) in enumerate(zip(cells, face.drawn, strict=True), top):
            row, looks = self._chars[y], self._styles[y]
            here = zip(row[x : x + width], looks[x : x + width], chars, styles, strict=True)
            covered = [place for place, (char, look, was, style) in enumerate(here) if (char, look) != (was, style)]
            # From the first to the last: a box over the card may be as blank inside as the card was.
            first, last = (covered[0], covered[-1] + 1) if covered else (width, width)
            for start, end in ((0, first), (last, width)):
                row[x + start : x + end] = signs[start:end]
                looks[x + start : x + end] = [PICTURE] * (end - start)

    def char(self, x: int, y: int) -> str:
        """Return the character at (x, y)."""
        return self._chars[y][x]

    def style(self, x: int, y: int) -> str:
        """Return the name of the style at (x, y)."""
        return self._styles[y][x]

    def runs(self, y: int) -> Iterator[Run]:
        """Split row `y` into runs of one style."""
        chars, start = self._chars[y], 0
        for style, run in groupby(self._styles[y]):
            end = start + len(list(run))
            yield style, "".join(chars[start:end])
            start = end

    def line(self, y: int) -> str:
        """Return row `y` as plain text."""
        return "".join(self._chars[y])

    def __str__(self) -> str:
        return "\n".join(self.line(y).rstrip() for y in range(self.height))


@lru_cache(maxsize=4096)  # each key draws nearly the same words again
def _split_cells(text: str) -> Sequence[str]:
    """Split `text` into cells: a letter with its accents or a joined emoji is one sign; after a wide one comes "".

    A control character would be obeyed by the terminal instead of drawn: it becomes a blank. A character without width
    and without one to stand on is left out, and so is a joiner at the end, which would join whatever is drawn beside
    it.
    """
    if text.isascii() and text.isprintable():
        return list(text)
    shown = "".join(char if char.isprintable() or char in _KEPT else " " for char in text.translate(_LEFT_OUT))
    spans, _ = split_graphemes(shown)
    signs = ((shown[start:end].rstrip(_JOINER), cells) for start, end, cells in spans if cells)
    return [cell for sign, cells in signs for cell in (sign, *[""] * (cells - 1))]


def edge_of(width: int) -> int:
    """Return how many columns stay free at the left and the right of a page, in its key bar too."""
    return 2 if width >= WIDE_FROM else 1


def fit_text(text: str, width: int) -> str:
    """Cut or fill up `text` to exactly `width` cells, with an ellipsis where something was cut.

    >>> fit_text("Anna", 6), fit_text("Annabella", 6)
    ('Anna  ', 'Annab…')
    """
    if width < 1:
        return ""
    return set_cell_size(text if cell_len(text) <= width else cut_text(text, width), width)
