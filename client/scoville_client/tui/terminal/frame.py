"""Frame: the cells that a terminal shows, and the fewest bytes that turn them into the next picture.

Textual sends each changed widget whole, every segment with its colours: five kilobytes for one arrow key. Here each
update is compared cell by cell with what was sent before.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from rich.cells import get_character_cell_size
from rich.console import Console
from rich.segment import Segment
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.strip import Strip

from scoville_client.tui.terminal.colours import DEFAULT, Colours, Pen, blank, change, for_blank, pen_of

_BRIDGE: Final = 5
"""Unchanged cells in the present pen that are written again, because to jump over them is longer."""
_UNKNOWN: Final = ("", None)
"""A cell of which nobody knows what the terminal shows."""

Cell = tuple[str, Pen | None]
"""A character with those that combine with it, and its pen. The second cell of a wide character has no character."""
Row = list[Cell]


# Decision 046: Textual sends changed widgets whole, 5,000 bytes for an arrow key; changed cells are about 200.
class Frame:
    """The contents of one terminal. `colours` are those that it has."""

    def __init__(self, colours: Colours) -> None:
        self._colours = colours
        self._rows: dict[int, Row] = {}
        self._pen = DEFAULT

    def forget(self) -> None:
        """Forget what the terminal shows, because it was cleared or has another size."""
        self._rows.clear()
        self._pen = DEFAULT

    def draw(self, update: CompositorUpdate) -> str:
        """Return what to write for an update of Textual's, and remember it as shown."""
        written: list[str] = []
        for y, x, strips in _strips(update):
            self._draw(written, y, x, self._cells(strips))
        written.append(self._rest())
        return "".join(written)

    def _rest(self) -> str:
        """Put the pen down: whatever is written between two updates begins with the default one."""
        ending = change(self._pen, DEFAULT)
        self._pen = DEFAULT
        return ending

    def _cells(self, strips: Iterable[Strip]) -> Row:
        cells: Row = []
        for strip in strips:
            for segment in strip:
                _append(cells, segment, self._colours)
        return cells

    def _draw(self, written: list[str], y: int, start: int, cells: Row) -> None:
        """Append what changes a part of a row, from column `start` on. The hottest loop of a door: no call per cell."""
        row = self._rows.setdefault(y, [])
        row.extend([_UNKNOWN] * (start + len(cells) - len(row)))
        end = start + len(cells)
        shown = row[start:end]
        if shown == cells:
            return
        row[start:end] = cells
        if start and not shown[0][0]:  # perhaps the second half of a wide character, which vanishes as a whole
            row[start - 1] = _UNKNOWN
        if end < len(row) and not row[end][0]:
            row[end] = _UNKNOWN
        at = -1  # the column that the cursor is known to be in
        held = self._pen
        for x, cell in enumerate(cells):
            char, pen = cell
            if not char or cell == shown[x]:
                continue
            if at != x:
                self._pen = held
                written.append(self._way(cells, at, x, f"\x1b[{y + 1};{start + x + 1}H"))
            assert pen is not None, "only unknown cells have none"
            if char == " ":
                pen = for_blank(held, pen)
            if pen is not held:
                written.append(change(held, pen))
                held = pen
            written.append(char)
            wide = x + 1 < len(cells) and not cells[x + 1][0]
            at = -1 if wide or len(char) > 1 else x + 1  # terminals differ in how wide such a character is
        self._pen = held

    def _way(self, cells: Row, at: int, x: int, move: str) -> str:
        """Return the way from column `at` to `x`: over the cells between, where that is shorter than to move."""
        between = cells[at:x] if 0 <= at < x <= at + _BRIDGE else []
        if between and all(len(char) == 1 and self._draws(char, pen) for char, pen in between):
            return "".join(char for char, _ in between)
        return move

    def _draws(self, char: str, pen: Pen | None) -> bool:
        """Whether the present pen draws a cell as it is."""
        assert pen is not None, "only unknown cells have none"
        return self._pen == (for_blank(self._pen, pen) if char == " " else pen)


class Diffed(CompositorUpdate):
    """An update that renders as its difference from what the terminal shows."""

    def __init__(self, update: CompositorUpdate, frame: Frame) -> None:
        self._update = update
        self._frame = frame

    def render_segments(self, console: Console) -> str:  # noqa: ARG002 - colours are those of the frame
        """Return what to write to the terminal."""
        return self._frame.draw(self._update)


def _append(cells: Row, segment: Segment, colours: Colours) -> None:
    """Append the cells of a segment."""
    text, style, control = segment
    if control:
        return
    pen = pen_of(style, colours)
    empty = (" ", blank(pen))
    if not text.strip(" "):
        cells.extend([empty] * len(text))
        return
    if text.isascii():
        cells.extend([empty if char == " " else (char, pen) for char in text])
        return
    for char in text:
        width = get_character_cell_size(char)
        if width:
            cells.append(empty if char == " " else (char, pen))
            cells.extend([("", pen)] * (width - 1))
        elif cells and cells[-1][0]:
            cells[-1] = (cells[-1][0] + char, cells[-1][1])


def _strips(update: CompositorUpdate) -> Iterator[tuple[int, int, Iterable[Strip]]]:
    """Yield the changed parts of rows: row, first column, strips. Raises TypeError for updates of another kind."""
    if isinstance(update, LayoutUpdate):
        for y, line in enumerate(update.strips, update.region.y):
            yield y, update.region.x, line
    elif isinstance(update, ChopsUpdate):
        for y, x1, x2 in update.spans:
            for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=True):
                if strip is not None and x < x2 and end > x1:
                    yield y, x, (strip.crop(0, min(end, x2) - x),)
    else:
        raise TypeError(f"an update of the kind {type(update).__name__}")
