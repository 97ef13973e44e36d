"""One sentence in place: what went wrong, or what is under way; above it what was announced and is not read yet."""

from collections.abc import Iterable

from rich.cells import cell_len
from textual.geometry import Size
from textual.widget import Widget

from scoville_client.i18n.language import told
from scoville_client.i18n.wrapping import wrap
from scoville_client.tui.drawing.canvas import Area, Canvas, fitted
from scoville_client.tui.widgets.painting import Painting
from scoville_shared.engine.phrases import Phrase

_EDGE = 2
MOST_ANNOUNCED = 3
"""Announcements that wait to be read; more would cover the page."""


class Notice(Painting):
    """Takes no room while it is empty, and as many rows as its sentence when it is not."""

    def __init__(self) -> None:
        super().__init__()
        self.sentence: str | Phrase = ""
        self.announced: tuple[str, ...] = ()
        self.stays = False
        self.standing = ""
        self._style = "text"
        self._area: Area | None = None

    def tell(self, sentence: str | Phrase, *, bad: bool = False, stays: bool = False) -> None:
        """Show a sentence; an empty one takes it away. One that `stays` is not taken away by the next key."""
        self.stays = stays
        if sentence == self.sentence:
            return
        self.sentence, self._style = sentence, "bad" if bad else "caption"
        self._show()

    def announce(self, sentence: str) -> None:
        """Show a sentence until a key is pressed, whatever else is told or happens meanwhile."""
        self.announced = (*self.announced, sentence)[-MOST_ANNOUNCED:]
        self._show()

    def forget(self) -> None:
        """Take a sentence away that has been read."""
        if self.sentence and not self.stays:
            self.tell("")

    def forget_announced(self) -> None:
        """Take away what was announced: it has been read."""
        if self.announced:
            self.announced = ()
            self._show()

    def stand(self, sentence: str) -> None:
        """Show a sentence as long as nothing else is told, until another one or none takes its place."""
        if sentence != self.standing:
            self.standing = sentence
            self._show()

    def lie_over(self, area: Area | None) -> None:
        """Lie over these cells of the page alone, cut to them; without any above the keys, beside the page."""
        if area != self._area:
            self._area = area
            lie_over(self, area)
            self._show()

    def _show(self) -> None:
        self.set_class(bool(self.sentence or self.announced or self.standing), "-told")
        self.refresh(layout=True)
        self.repaint()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Count the rows of the sentence."""
        return len(self._rows_in(width))

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the sentence over the rows there are."""
        canvas = Canvas(width, height)
        for y, (row, style) in enumerate(self._rows_in(width)):
            canvas.put(_EDGE, y, row, style)
        return canvas

    def _rows_in(self, width: int) -> list[tuple[str, str]]:
        sentence = told(self.sentence) if isinstance(self.sentence, Phrase) else self.sentence
        standing = self.standing if not self.sentence and not self.announced else ""
        announced = _wrapped(self.announced, "strong", width)
        rows = _wrapped((sentence,), self._style, width) + _wrapped((standing,), "caption", width)
        if self._area is None:
            return announced + rows
        most = self._area[3]
        kept = min(len(announced), max(most - len(rows), 0))  # what happened last is read whole
        return _within(announced, kept, width) + _within(rows, most - kept, width)


def _wrapped(texts: Iterable[str], style: str, width: int) -> list[tuple[str, str]]:
    return [(row, style) for text in texts for row in wrap(text, width - 2 * _EDGE)]


def _within(rows: list[tuple[str, str]], most: int, width: int) -> list[tuple[str, str]]:
    """Rows cut to `most`, the last one marked where something is left out."""
    if len(rows) <= most:
        return rows
    return [] if most <= 0 else [*rows[: most - 1], _cut(rows[most - 1], width - 2 * _EDGE)]


def _cut(row: tuple[str, str], width: int) -> tuple[str, str]:
    """Mark a row after which something is left out."""
    text, style = row
    return fitted(f"{text} …" if cell_len(text) + 2 <= width else f"{text[:-1]}…", width).rstrip(), style


def lie_over(widget: Widget, area: Area | None) -> None:
    """Place a widget over some cells of its page, or where the style sheet says."""
    widget.set_class(area is not None, "-over")
    if area is None:
        widget.styles.offset, widget.styles.width, widget.styles.max_height = (0, 0), None, None
    else:
        x, y, width, height = area
        widget.styles.offset, widget.styles.width, widget.styles.max_height = (x, y), width, height
