"""Canvas widget: draws on a canvas and repaints only the cells that changed; a ticking one also when its clock does."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from scoville_client.tui.drawing.canvas import Area, Canvas, Link, Run, Target, find_target
from scoville_client.tui.themes import find_style
from scoville_client.tui.widgets.timers import call_after, clock_of
from scoville_runtime.clock import SYSTEM, Alarm

if TYPE_CHECKING:
    from scoville_client.tui.terminal.pictures import CardPictures

COLUMN = "-column"
"""The class of screens that show the log beside what else they show."""
_NEAR = 12
"""Unchanged cells that are painted again rather than skipped: moving the cursor and setting a style costs as much."""

REACTION_SECONDS = 0.2
"""Seconds within which nobody sees what is new under the pointer: a click then was meant for what was there before."""


@runtime_checkable
class HasPictures(Protocol):
    """An App whose terminal may show the faces of cards as pictures."""

    pictures: "CardPictures"


class CanvasWidget(Widget):
    """Subclasses draw; `themes.LOOKS` defines the named styles of the canvas."""

    class LogChanged(Message):
        """The log is drawn somewhere else, or has other entries."""

    SHOWS_HOVER: ClassVar[bool] = False
    """Whether the target under the pointer is lightened."""
    log_area: Area | None = None
    """The area of the log, if there is one: what a notice may cover."""
    log_ends: tuple[int, ...] = ()
    """The rows from the top of the log to the end of each of its entries."""
    _rows: list[tuple[Run, ...]] | None = None
    _picture_turn: int | None = None
    """The turn of the pictures that the rows have; None without faces."""
    _drawn_size: Size = Size(0, 0)
    _looks: dict[str, Style]
    _links: Sequence[Link] = ()
    _former_links: Sequence[Link] = ()
    _linked_at = float("-inf")
    _hovered: Target | None = None

    def draw(self, width: int, height: int) -> Canvas:
        """Draw a canvas of `width` x `height` cells."""
        raise NotImplementedError

    def drawn(self, canvas: Canvas) -> None:
        """Called with each canvas that was drawn."""
        if (canvas.log, canvas.log_ends) != (self.log_area, self.log_ends):
            self.log_area, self.log_ends = canvas.log, canvas.log_ends
            self.post_message(self.LogChanged())

    def handle_click(self, target: Target) -> None:
        """Carry out a click on a target, if that is no key."""

    def target_at(self, x: int, y: int, at: float) -> Target | None:
        """Return the target of a cell that was clicked at a time; None where it has only just come there."""
        target = find_target(self._links, x, y)
        is_new = at < self._linked_at + REACTION_SECONDS and target != find_target(self._former_links, x, y)
        return None if is_new else target

    def hover(self, target: Target | None) -> None:
        """Show that the pointer is over a target; None when it has gone."""
        if self.SHOWS_HOVER and target != self._hovered:
            self._hovered = target
            self.repaint()

    def repaint(self) -> None:
        """Draw again and refresh the cells that differ; without a size there is nothing to draw."""
        if not self.size.area:
            return
        size, before, self._rows = self._drawn_size, self._rows, self._draw_runs()
        if before is None or size != self.size:
            self.refresh()
            return
        changed = [
            Region(start, y, end - start, 1)
            for y, (old, new) in enumerate(zip(before, self._rows, strict=True))
            if old != new
            for start, end in changed_spans(old, new)
        ]
        if changed:
            self.refresh(*changed)

    def render_lines(self, crop: Region) -> list[Strip]:
        # Once for all rows: Textual finds out a widget's size again each time that it is asked for it.
        if self._rows is None or self._drawn_size != self.size or self._has_other_pictures:
            self._rows = self._draw_runs()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        assert self._rows is not None, "a row is drawn by `render_lines`"
        looks = self._looks
        segments = [Segment(text, looks.get(style) or self._find_look(style)) for style, text in self._rows[y]]
        return Strip(segments, self._drawn_size.width)

    def on_resize(self) -> None:
        """Drop the rows of the previous size; those that were painted in this one already are compared."""
        if self._drawn_size == self.size:
            self.repaint()
        else:
            self._rows = None
            self.refresh()

    def notify_style_update(self) -> None:
        """Drop the colours of the previous theme."""
        self._looks = {}
        super().notify_style_update()

    def _draw_runs(self) -> list[tuple[Run, ...]]:
        self._drawn_size = self.size
        width, height = self.size
        canvas = self.draw(width, height)
        self.drawn(canvas)
        self._show_pictures(canvas)
        if self._hovered is not None:
            canvas.highlight(self._hovered)
        if canvas.links != self._links:
            # The system's clock, since Textual dates clicks by it: they are compared in `target_at`.
            self._former_links, self._links, self._linked_at = self._links, canvas.links, SYSTEM.seconds()
        return [tuple(canvas.runs(y)) for y in range(height)]

    def _show_pictures(self, canvas: Canvas) -> None:
        app = self.app
        if not canvas.faces or not isinstance(app, HasPictures):
            self._picture_turn = None
            return
        app.pictures.show_faces(canvas)
        self._picture_turn = app.pictures.turn

    @property
    def _has_other_pictures(self) -> bool:
        """Whether the terminal has other pictures now than those that the rows have."""
        app = self.app
        return (
            self._picture_turn is not None and isinstance(app, HasPictures) and app.pictures.turn != self._picture_turn
        )

    def _find_look(self, name: str) -> Style:
        if name not in self._looks:
            self._looks[name] = self.rich_style + find_style(name, self.app.theme_variables)
        return self._looks[name]


def changed_spans(before: Iterable[Run], after: Iterable[Run]) -> Iterator[tuple[int, int]]:
    """Yield where two rows of as many cells differ, as first column and the one behind the last.

    Runs are compared whole: a span never ends in the middle of a wide sign.
    """
    placed = [*_place_runs(after)]
    kept = set(placed).intersection(_place_runs(before))
    start = end = 0
    for column, text, style in placed:
        if (column, text, style) not in kept:
            start = start if end > start else column
            end = column + cell_len(text)
        elif end > start and column + cell_len(text) - end > _NEAR:
            yield start, end
            start = end
    if end > start:
        yield start, end


def _place_runs(row: Iterable[Run]) -> Iterator[tuple[int, str, str]]:
    column = 0
    for style, text in row:
        yield column, text, style
        column += cell_len(text)


class TickingWidget(CanvasWidget):
    """Subclasses return when their content changes without an event."""

    _clock_timer: Alarm | None = None

    def now(self) -> float:
        """The time in seconds (monotonic) for the clocks."""
        return clock_of(self).seconds()

    def changes_in(self) -> float | None:
        """Seconds until the clock shows another number; None while no clock runs."""
        raise NotImplementedError

    def on_mount(self) -> None:
        self._schedule_repaint()

    def repaint(self) -> None:
        """Draw again, and once more when the clock shows another number."""
        super().repaint()
        self._schedule_repaint()

    def _schedule_repaint(self) -> None:
        if self._clock_timer is not None:
            self._clock_timer.cancel()
        seconds = self.changes_in() if self.is_attached else None
        self._clock_timer = None if seconds is None else call_after(self, seconds, self.repaint)
