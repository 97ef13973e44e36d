"""Output to the terminal: the fewest bytes that turn what it shows into the next picture.

Textual sends each changed widget whole, every segment with its colours: five kilobytes for one arrow key. Here each
update is compared cell by cell with what was sent before, which makes about 200 bytes of it.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from rich.cells import get_character_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.events import Resize
from textual.filter import LineFilter
from textual.geometry import Size
from textual.strip import Strip

from scoville_client.tui.terminal.colours import DEFAULT, Colours, Pen, for_blank, pen_of, pen_of_blank, write_change
from scoville_client.tui.terminal.pictures import FIRST_SIGN, PLACEHOLDER, placeholder_of
from scoville_client.tui.terminal.traits import TerminalTraits
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


class Run(NamedTuple):
    """Cells of a row that one pen draws, from column `x` on; `end` is where the cursor is then, -1 if unknown."""

    pen: Pen
    y: int
    x: int
    text: str
    end: int


class Frame:
    """The contents of one terminal. `colours` are those that it has; `links` says whether it knows links."""

    def __init__(self, colours: Colours, *, links: bool = False) -> None:
        self._colours = colours
        self._links = links
        self._rows: dict[int, Row] = {}
        self._size: Size | None = None

    def forget_cells(self, size: Size | None = None) -> None:
        """Forget the terminal's contents, because it was cleared or has another `size`."""
        self._rows.clear()
        self._size = size or self._size

    def draw(self, update: CompositorUpdate) -> str:
        """Return the bytes for an update of Textual's, and remember it as shown."""
        runs: list[Run] = []
        for y, x, strips in strips_of(update):
            cells = self._cells_of(strips)
            # After the terminal has become smaller, screens may still be drawn in the former size until they are laid
            # out again: what is outside would be written over the edges, or scroll all of it.
            if self._size is not None and (y >= self._size.height or x + len(cells) > self._size.width):
                cells = _cut_cells(cells, self._size.width - x) if y < self._size.height else []
            if cells:
                self._find_changes(runs, y, x, cells)
        # To move the cursor takes a few bytes, to change colours of 24 bits up to forty: mostly it is shorter to write
        # everything of one pen and then everything of the next, wherever it is.
        return min(_write_runs(runs), _write_runs(_sort_by_pen(runs)), key=len)

    def _cells_of(self, strips: Iterable[Strip]) -> Row:
        cells: Row = []
        for strip in strips:
            for segment in strip:
                _append_segment(cells, segment, self._colours, links=self._links)
        return cells

    def _find_changes(self, runs: list[Run], y: int, start: int, cells: Row) -> None:
        """Append the changes of a part of a row, from column `start` on."""
        shown = self._replace_cells(y, start, cells)
        if shown == cells:
            return
        at, first, text = -1, 0, ""  # the column behind the run if the cursor is known to be there, its first, its text
        held: Pen | None = None
        inked = False  # whether the run has more than blanks
        # The hottest loop of a door: no call for a cell that is as before, goes on with the same pen, or begins another
        # run in any case.
        for x, cell in enumerate(cells):
            char = cell[0]
            if not char or cell == shown[x]:
                continue
            if held is not None and (at != x or cell[1] != held):  # else it goes on as it is
                far = not 0 <= at <= x <= at + _BRIDGE
                if inked and (far or (char != " " and cell[1] != held)):
                    bridge = None
                else:
                    held, bridge = self._continue_run(cells, (at, x), held, text)
                if bridge is None:
                    runs.append(Run(held, y, start + first, text, start + at if at >= 0 else -1))
                    held = None
                else:
                    text += bridge
            if held is None:
                first, text, held, inked = x, "", cell[1], False
            assert held is not None, "only unknown cells have none"
            text += char
            inked = inked or char != " "
            wide = x + 1 < len(cells) and not cells[x + 1][0]
            # Terminals differ in how wide a wide or a composed character is, but for those that are parts of pictures.
            at = -1 if wide or (len(char) > 1 and char[0] != PLACEHOLDER) else x + 1
        if held is not None:
            runs.append(Run(held, y, start + first, text, start + at if at >= 0 else -1))

    def _replace_cells(self, y: int, start: int, cells: Row) -> Row:
        """Remember a part of a row as shown; returns the former row."""
        row = self._rows.setdefault(y, [])
        end = start + len(cells)
        row.extend([_UNKNOWN] * (end - len(row)))
        shown = row[start:end]
        if shown != cells:
            row[start:end] = cells
            if start and not shown[0][0]:  # perhaps the second half of a wide character, which vanishes as a whole
                row[start - 1] = _UNKNOWN
            if end < len(row) and not row[end][0]:
                row[end] = _UNKNOWN
        return shown

    @staticmethod
    def _continue_run(cells: Row, way: tuple[int, int], held: Pen, text: str) -> tuple[Pen, str | None]:
        """Return the pen with which a run goes on in another cell, and the cells between; None where it cannot.

        `way` is the column behind the run and the one of the cell. Few unchanged cells between are written again.
        """
        at, x = way
        char, pen = cells[x]
        assert pen is not None, "only unknown cells have none"
        if char == " ":
            pen = for_blank(held, pen)
        elif pen != held and not text.strip(" ") and for_blank(pen, held) == pen:
            held = pen  # blanks are the same in the pen of the next text
        if pen != held or not 0 <= at <= x <= at + _BRIDGE:
            return held, None
        between = cells[at:x]
        for other, drawn in between:
            if len(other) != 1 or drawn is None or held != (for_blank(held, drawn) if other == " " else drawn):
                return held, None
        return held, "".join(other for other, _ in between)


def _cut_cells(cells: Row, room: int) -> Row:
    """Cut a part of a row to so many cells; a wide character of which only the first half has room is left out."""
    kept = cells[: max(0, room)]
    if kept and not cells[len(kept)][0]:
        kept[-1] = (" ", kept[-1][1])
    return kept


def _sort_by_pen(runs: Iterable[Run]) -> list[Run]:
    """Sort runs by their pens, each time going on with the pen that is reached in the fewest bytes."""
    groups: dict[Pen, list[Run]] = {}
    for run in runs:
        groups.setdefault(run.pen, []).append(run)
    # Blanks join the text whose pen draws the same ones.
    for pen in [pen for pen, group in groups.items() if not any(run.text.strip(" ") for run in group)]:
        other = next((each for each in groups if each != pen and for_blank(each, pen) == each), None)
        if other is not None:
            groups[other] = sorted([*groups[other], *groups.pop(pen)], key=lambda run: (run.y, run.x))
    held, ordered = DEFAULT, []
    while groups:
        held = min(groups, key=lambda pen: len(write_change(held, pen)))
        ordered += groups.pop(held)
    return ordered


def _write_runs(runs: Iterable[Run]) -> str:
    """Write runs one after the other, with the default pen before and after: others write between two updates."""
    written: list[str] = []
    held, row, at = DEFAULT, -1, -1
    for wanted, y, x, text, end in runs:
        pen = wanted if text.strip(" ") else for_blank(held, wanted)
        written += (_way_to(row, at, y, x), write_change(held, pen), text)
        held, row, at = pen, y, end
    written.append(write_change(held, DEFAULT))
    return "".join(written)


def _way_to(row: int, at: int, y: int, x: int) -> str:
    """Return the shortest way from column `at`, -1 if that is not known, of a row to a cell."""
    if row == y and 0 <= at <= x:
        return "" if at == x else f"\x1b[{x - at}C"
    if x == 0:
        return "\r\n" if 0 <= row == y - 1 else f"\x1b[{y + 1}H"
    return f"\x1b[{y + 1};{x + 1}H"


def _append_segment(cells: Row, segment: Segment, colours: Colours, *, links: bool) -> None:
    text, style, control = segment
    if control or not text:
        return
    pen = pen_of(style, colours)
    if pen.link and not links:
        pen = pen._replace(link="")
    drawn = _cells_of_text(text, pen)
    # A character without width combines with the cell before, and is written with it.
    if drawn and not drawn[0][0] and cells and cells[-1][0]:
        cells[-1] = (cells[-1][0] + text[: _count_marks(text)], cells[-1][1])
    cells.extend(drawn[1:] if drawn and not drawn[0][0] else drawn)


def _count_marks(text: str) -> int:
    return next((number for number, char in enumerate(text) if get_character_cell_size(char)), len(text))


@lru_cache(maxsize=1024)  # boards draw the same edges and digits again and again
def _cells_of_text(text: str, pen: Pen) -> Sequence[Cell]:
    """Split a text into cells; it begins with an empty one where it begins with what combines with the cell before."""
    empty = (" ", pen_of_blank(pen))
    # Nearly all text: nothing in it is wider than a cell, so nobody has to look widths up.
    if text.isascii():
        return [empty if char == " " else (char, pen) for char in text]
    cells: Row = []
    for char in text:
        width = get_character_cell_size(char)
        if char >= FIRST_SIGN:
            written, ink = placeholder_of(char)
            cells.append((written, Pen(ink, pen.paper, 0)))
        elif width:
            cells.append(empty if char == " " else (char, pen))
            cells.extend([("", pen)] * (width - 1))
        elif not cells:
            cells.append(("", None))
        elif cells[-1][0]:
            cells[-1] = (cells[-1][0] + char, cells[-1][1])
    return cells


class TerminalOutput:
    """Output of an app to its terminal, in the colours that the terminal has.

    Args:
        app: The app.
        terminal: Its colours, whether it knows links, and how often it reports its size at the start, though it has
            not changed.
    """

    def __init__(self, app: HookedApp, terminal: TerminalTraits) -> None:
        self._app = app
        self._frame = Frame(terminal.colours, links=terminal.links)
        self._start_reports = terminal.start_reports
        self._reports = 0
        self._is_paused = False

    def rewrite_picture(self, picture: Any) -> Any:
        """Return a picture as its difference from the terminal's contents; None for nothing while drawing is paused."""
        if self._is_paused:
            return None
        return RewrittenUpdate(picture, self._frame.draw) if isinstance(picture, CompositorUpdate) else picture

    def note_size(self, event: Resize) -> None:
        """Draw everything again: a terminal that has changed its size may show anything."""
        self._reports += 1
        if self._reports <= self._start_reports and event.size == self._app.size:
            return
        self._frame.forget_cells(event.size)
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
        """Switch the terminal's reports of clicks on or off, and emoji as the user's settings say."""
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
        return [
            segment if segment.text.isascii() and segment.text.isprintable() else _visible_segment(segment)
            for segment in segments
        ]


VISIBLE_TEXT: Final = VisibleText()
"""One for all rows: Textual keeps what a filter has made of a row for as long as the same filter asks."""


def _visible_segment(segment: Segment) -> Segment:
    text, style, control = segment
    if control:
        return segment
    shown = _visible_text(text)
    return segment if shown == text else Segment(shown, style)


_SIGNS: Final = re.compile(f"([{FIRST_SIGN}-\U0010ffff]+)")


# By the text alone: a segment of the same text in another style would be looked at again, and its style hashed.
@lru_cache(maxsize=4096)
def _visible_text(text: str) -> str:
    if max(text) < FIRST_SIGN:
        return visible_line(text)
    # A sign for a part of a picture is no letter, and was put there by our own drawing: texts come without it.
    return "".join(part if part >= FIRST_SIGN else visible_line(part) for part in _SIGNS.split(text))
