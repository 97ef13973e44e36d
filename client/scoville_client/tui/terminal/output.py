"""Output to the terminal: the fewest bytes that turn what it shows into the next picture.

Textual sends each changed widget whole, every segment with its colours: five kilobytes for one arrow key. Here each
update is compared cell by cell with what was sent before, which makes about 200 bytes of it.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from rich.cells import get_character_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.events import Resize
from textual.filter import LineFilter
from textual.strip import Strip

from scoville_client.tui.terminal.colours import DEFAULT, Colours, Pen, blank, change, for_blank, pen_of
from scoville_client.tui.textual_hooks.app import HookedApp
from scoville_client.tui.textual_hooks.updates import CompositorUpdate, RewrittenUpdate, strips_of
from scoville_shared.text import visible_line

_BRIDGE: Final = 5
"""Unchanged cells in the present pen that are written again, because to jump over them is longer."""
_UNKNOWN: Final = ("", None)
"""A cell of which nobody knows what the terminal shows."""

Cell = tuple[str, Pen | None]
"""A character with those that combine with it, and its pen. The second cell of a wide character has no character."""
Row = list[Cell]


class Frame:
    """The contents of one terminal. `colours` are those that it has."""

    def __init__(self, colours: Colours) -> None:
        self._colours = colours
        self._rows: dict[int, Row] = {}
        self._pen = DEFAULT

    def forget_cells(self) -> None:
        """Forget what the terminal shows, because it was cleared or has another size."""
        self._rows.clear()
        self._pen = DEFAULT

    def draw(self, update: CompositorUpdate) -> str:
        """Return what to write for an update of Textual's, and remember it as shown."""
        written: list[str] = []
        for y, x, strips in strips_of(update):
            self._draw_row(written, y, x, self._cells_of(strips))
        written.append(self._put_pen_down())
        return "".join(written)

    def _put_pen_down(self) -> str:
        """Put the pen down: whatever is written between two updates begins with the default one."""
        ending = change(self._pen, DEFAULT)
        self._pen = DEFAULT
        return ending

    def _cells_of(self, strips: Iterable[Strip]) -> Row:
        cells: Row = []
        for strip in strips:
            for segment in strip:
                _append_segment(cells, segment, self._colours)
        return cells

    def _draw_row(self, written: list[str], y: int, start: int, cells: Row) -> None:
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
                written.append(self._way_to(cells, at, x, f"\x1b[{y + 1};{start + x + 1}H"))
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

    def _way_to(self, cells: Row, at: int, x: int, move: str) -> str:
        """Return the way from column `at` to `x`: over the cells between, where that is shorter than to move."""
        between = cells[at:x] if 0 <= at < x <= at + _BRIDGE else []
        if between and all(len(char) == 1 and self._pen_draws(char, pen) for char, pen in between):
            return "".join(char for char, _ in between)
        return f"\x1b[{x - at}C" if 0 <= at < x else move  # forward in its row: three bytes less

    def _pen_draws(self, char: str, pen: Pen | None) -> bool:
        """Whether the present pen draws a cell as it is."""
        assert pen is not None, "only unknown cells have none"
        return self._pen == (for_blank(self._pen, pen) if char == " " else pen)


def _append_segment(cells: Row, segment: Segment, colours: Colours) -> None:
    text, style, control = segment
    if control:
        return
    pen = pen_of(style, colours)
    empty = (" ", blank(pen))
    if not text.strip(" "):
        cells.extend([empty] * len(text))
        return
    # Nearly all text: nothing in it is wider than a cell, so nobody has to look widths up.
    if text.isascii():
        cells.extend([empty if char == " " else (char, pen) for char in text])
        return
    for char in text:
        width = get_character_cell_size(char)
        if width:
            cells.append(empty if char == " " else (char, pen))
            cells.extend([("", pen)] * (width - 1))
        # What has no width of its own combines with the cell before, and is written with it.
        elif cells and cells[-1][0]:
            cells[-1] = (cells[-1][0] + char, cells[-1][1])


class TerminalOutput:
    """What an app writes to its terminal, in the colours that the terminal has.

    Args:
        app: The app.
        colours: Colours of the terminal.
        start_reports: How often the size of the terminal is reported at the start, though it has not changed.
    """

    def __init__(self, app: HookedApp, colours: Colours, start_reports: int) -> None:
        self._app = app
        self._frame = Frame(colours)
        self._start_reports = start_reports
        self._reports = 0
        self._is_paused = False

    def rewrite_picture(self, picture: Any) -> Any:
        """Return a picture as its difference from what the terminal shows; None for nothing while drawing is paused."""
        if self._is_paused:
            return None
        return RewrittenUpdate(picture, self._frame.draw) if isinstance(picture, CompositorUpdate) else picture

    def note_size(self, event: Resize) -> None:
        """Draw everything again: a terminal that has changed its size may show anything."""
        self._reports += 1
        if self._reports <= self._start_reports and event.size == self._app.size:
            return
        self._frame.forget_cells()
        if self._app.is_running and event.size == self._app.size:  # and back again, so that Textual sees no reason
            self._app.refresh()

    def redraw_all(self) -> None:
        """Draw everything again after something else has written on the terminal."""
        self._frame.forget_cells()
        self._app.refresh(layout=True)

    def pause_drawing(self) -> None:
        """Write no pictures; keys that depend on what the screen shows are dropped."""
        self._is_paused = True

    def resume_drawing(self) -> None:
        """Write pictures again, beginning with the present one."""
        if self._is_paused:
            self._is_paused = False
            if self._app.is_running and self._app.screen_stack:
                self._app.screen.refresh()

    def configure_driver(self, *, mouse: bool, emoji: bool) -> None:
        """Let the terminal report clicks from now on, or no longer, and draw emoji as the user wants it now."""
        configure = getattr(self._app.driver, "configure", None)  # the driver of headless tests has none
        if configure is not None:
            configure(mouse=mouse, emoji=emoji)

    def write_sequence(self, sequence: str) -> None:
        """Write an escape sequence past the screens, such as the bell; callers make sure that it is harmless."""
        if self._app.driver is not None:
            self._app.driver.write(sequence)


class VisibleText(LineFilter):
    """Removes control characters, directions and invisible characters from all that is drawn.

    A second line of defence: texts from a server were cleaned when they were decoded.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - of the interface
        """Return the segments with visible text; Textual's own control segments stay."""
        if all(segment.text.isascii() and segment.text.isprintable() for segment in segments):
            return segments
        return [_visible_segment(segment) for segment in segments]


VISIBLE_TEXT: Final = VisibleText()
"""One for all rows: Textual keeps what a filter has made of a row for as long as the same filter asks."""


@lru_cache(maxsize=4096)
def _visible_segment(segment: Segment) -> Segment:
    text, style, control = segment
    return segment if control else Segment(visible_line(text), style)
