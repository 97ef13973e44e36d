"""Notices: one sentence about an error or about progress, below announcements that are not read yet.

A preview of the chat is the latest message or reaction in a row of its own, above the key bar.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from scoville_client.i18n.language import render
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.drawing.canvas import Area, Canvas, fit_text
from scoville_client.tui.widgets.canvas_widget import CanvasWidget, TickingWidget
from scoville_client.tui.widgets.timers import call_after
from scoville_runtime.clock import Alarm
from scoville_shared.engine.phrases import Phrase

if TYPE_CHECKING:
    from scoville_client.session.planned_end import PlannedEnd

SECONDS = 7.0
"""Seconds that a message stays: long enough to read it twice."""
MOST_ANNOUNCED = 3
"""Unread announcements that are shown; more would cover the page."""
_EDGE = 2
"""Columns left free at both sides of a row."""
_ERROR = "bad"
"""The style of errors."""
_CLAUSE = re.compile(r"[.;!?](?= |$)")
"""The end of a sentence or a clause."""


class ChatPreview(CanvasWidget):
    """Shows the latest message for some seconds; it takes neither keys nor rows."""

    class Changed(Message):
        """The preview has appeared or disappeared."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__()
        self._sender, self._text = name, text
        self._timer: Alarm | None = None

    def on_mount(self) -> None:
        self.show_message(self._sender, self._text)

    def show_message(self, name: str, text: str) -> None:
        """Show a message instead of the one before."""
        self._sender, self._text = name, text
        self.set_class(bool(name), "-visible")
        if self.is_attached:
            self.post_message(self.Changed())
        self.refresh(layout=True)
        self.repaint()
        if self._timer is not None:
            self._timer.cancel()
        self._timer = call_after(self, SECONDS, self.hide_message) if name and self.is_attached else None

    def cover_rows(self, area: Area | None, rows: int) -> None:
        """Cover the last rows of an area of the page; None takes the row above the key bar instead."""
        place_over(self, None if area is None else (area[0], area[1] + area[3] - rows, area[2], rows))
        self.styles.height = None if area is None else rows

    def hide_message(self) -> None:
        """Hide the preview."""
        self.show_message("", "")

    def draw(self, width: int, height: int) -> Canvas:
        canvas = Canvas(width, height)
        x = canvas.put(_EDGE, 0, f"{self._sender}: ", "strong")
        canvas.put(x, 0, fit_text(self._text, width - x - _EDGE), "text")
        return canvas


class Notice(TickingWidget):
    """Takes no rows while it is empty, else as many as its sentences need, and one for the countdown to the end."""

    def __init__(self) -> None:
        super().__init__()
        self.sentence: str | Phrase = ""
        self.announced: tuple[str, ...] = ()
        self.sticky = False
        self.status = ""
        self._style = "text"
        self._end: PlannedEnd | None = None
        self._area: Area | None = None
        self._ends: tuple[int, ...] = ()

    def show_sentence(self, sentence: str | Phrase, *, error: bool = False, sticky: bool = False) -> None:
        """Show a sentence; an empty one hides it. A `sticky` one is not dismissed by the next key."""
        self.sticky = sticky
        # The same sentence again needs no new layout.
        if sentence == self.sentence:
            return
        self.sentence, self._style = sentence, _ERROR if error else "caption"
        self._show_rows()

    def announce(self, sentence: str) -> None:
        """Show a sentence until a key is pressed, whatever else is shown or happens."""
        # A repeated one becomes the newest, and is not listed twice.
        others = (each for each in self.announced if each != sentence)
        self.announced = (*others, sentence)[-MOST_ANNOUNCED:]
        self._show_rows()

    def dismiss_sentence(self) -> None:
        """Hide the sentence unless it is sticky."""
        if self.sentence and not self.sticky:
            self.show_sentence("")

    def dismiss_announcements(self) -> None:
        """Remove all announcements."""
        if self.announced:
            self.announced = ()
            self._show_rows()

    def show_status(self, sentence: str) -> None:
        """Show a sentence whenever there is nothing else to show; an empty one removes it."""
        if sentence != self.status:
            self.status = sentence
            self._show_rows()

    def count_down(self, end: "PlannedEnd | None") -> None:
        """Show the time until the server ends, in the last row, as long as that is planned."""
        if end != self._end:
            self._end = end
            self._show_rows()

    def changes_in(self) -> float | None:
        return None if self._end is None else self._end.changes_in(self.now())

    def place_over(self, area: Area | None, ends: tuple[int, ...] = ()) -> None:
        """Cover only these cells of the page, cut to them; None takes rows above the key bar instead.

        Of the `ends` of the log's entries there it takes the first one that it needs: no entry below it is cut. An
        error that the next key hides is shown whole: if need be, it covers rows above these cells.
        """
        if area != self._area:
            self._area, self._ends = area, ends
            self._show_rows()
        elif ends != self._ends:
            self._ends = ends
            if self.has_class("-visible"):
                self.refresh(layout=True)

    @property
    def _covered(self) -> Area | None:
        if self._area is None or self.sticky or self._style != _ERROR:
            return self._area
        x, y, width, height = self._area
        # Only errors grow: the explanation of a refusal must be read whole.
        more = min(y, max(0, len(_wrap_texts((self._written_sentence,), _ERROR, width)) - height))
        return x, y - more, width, height + more

    @property
    def _written_sentence(self) -> str:
        return render(self.sentence) if isinstance(self.sentence, Phrase) else self.sentence

    def _show_rows(self) -> None:
        place_over(self, self._covered)
        self.set_class(bool(self.sentence or self.announced or self.status or self._end), "-visible")
        self.refresh(layout=True)
        self.repaint()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Count the rows of the sentences, and those that are left of an entry below them."""
        rows = len(self._rows_in(width))
        # One that has grown above its cells covers all of them.
        if not rows or self._area is None or self._covered != self._area:
            return rows
        return min(next((end for end in self._ends if end >= rows), rows), self._area[3])

    def draw(self, width: int, height: int) -> Canvas:
        canvas = Canvas(width, height)
        for y, (row, style) in enumerate(self._rows_in(width)):
            canvas.put(_EDGE, y, row, style)
        return canvas

    def _rows_in(self, width: int) -> list[tuple[str, str]]:
        status = self.status if not self.sentence and not self.announced else ""
        announced = _wrap_texts(self.announced, "strong", width)
        rows = _wrap_texts((self._written_sentence,), self._style, width) + _wrap_texts((status,), "caption", width)
        if self._end is not None:
            rows.append((fit_text(self._end.describe_countdown(self.now()), width - 2 * _EDGE).rstrip(), "strong"))
        covered = self._covered
        if covered is None:
            return announced + rows
        most = covered[3]
        # Announcements give way: they stay until a key, and are read next.
        kept = min(len(announced), max(most - len(rows), 0))  # the newest sentence is shown whole
        return _cut_rows(announced, kept, width) + _cut_rows(rows, most - kept, width)


def _wrap_texts(texts: Iterable[str], style: str, width: int) -> list[tuple[str, str]]:
    return [(row, style) for text in texts for row in wrap_lines(text, width - 2 * _EDGE)]


def _cut_rows(rows: list[tuple[str, str]], most: int, width: int) -> list[tuple[str, str]]:
    """Cut rows to `most`, with an ellipsis in the last one where rows are missing."""
    if len(rows) <= most:
        return rows
    return [] if most <= 0 else [*rows[: most - 1], _add_ellipsis(rows[most - 1], width - 2 * _EDGE)]


def _add_ellipsis(row: tuple[str, str], width: int) -> tuple[str, str]:
    """Put an ellipsis at the end of a row, behind its last whole clause if it has one."""
    text, style = row
    whole = max((found.end() for found in _CLAUSE.finditer(text)), default=0)
    text = text[:whole] or text
    return fit_text(f"{text} …" if cell_len(text) + 2 <= width else f"{text[:-1]}…", width).rstrip(), style


def place_over(widget: Widget, area: Area | None) -> None:
    """Place a widget over some cells of its page; None places it where the style sheet says."""
    widget.set_class(area is not None, "-over")
    if area is None:
        widget.styles.offset, widget.styles.width, widget.styles.max_height = (0, 0), None, None
    else:
        x, y, width, height = area
        widget.styles.offset, widget.styles.width, widget.styles.max_height = (x, y), width, height
