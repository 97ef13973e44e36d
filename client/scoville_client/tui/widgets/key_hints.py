"""Key hints: the keys of a dialog with their words, in as many rows as they need; a word stays beside its key."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.cells import cell_len
from textual.geometry import Size

from scoville_client.tui.drawing.canvas import Canvas, Press
from scoville_client.tui.drawing.key_names import keys_in
from scoville_client.tui.widgets.canvas_widget import CanvasWidget

Hint = tuple[str, str]
"""A key as users read it, and its effect; the word may be empty."""
GAP = 2
"""Blanks between two hints."""


class KeyHints(CanvasWidget):
    """Shows the (key, word) pairs that `write` returns."""

    SHOWS_HOVER = True

    def __init__(self, write: Callable[[], Iterable[Hint]], *, id: str | None = None) -> None:  # noqa: A002 - as widgets call it
        super().__init__(id=id, classes="keys")
        self._write = write

    @property
    def hints(self) -> Sequence[Hint]:
        """The (key, word) pairs that are shown."""
        return [*self._write()]

    def rewrite_hints(self) -> None:
        """Show other hints, in as many rows as they need."""
        self.refresh(layout=True)
        self.repaint()

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002
        """Count the cells of all hints in one row."""
        return sum(map(_width_of_hint, self._write())) + GAP * max(0, len(list(self._write())) - 1)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Count the rows of the hints."""
        return len(list(rows_of(self._write(), width)))

    def draw(self, width: int, height: int) -> Canvas:
        canvas = Canvas(width, height)
        for y, row in enumerate(rows_of(self._write(), width)):
            put_hints(canvas, 0, y, row)
        return canvas


def put_hints(canvas: Canvas, x: int, y: int, hints: Iterable[Hint]) -> int:
    """Write hints in one row from (x, y) on, each to be clicked; returns the column behind them, blanks included."""
    for hint in hints:
        key, word = hint
        _link_keys(canvas, x, y, hint)
        x = canvas.put(x, y, key, "strong") + 1
        x = canvas.put(x, y, word, "muted") + GAP if word else x + GAP - 1
    return x


def _link_keys(canvas: Canvas, x: int, y: int, hint: Hint) -> None:
    """Let a click on a hint press its key; of several keys each is clicked by itself, and the word is the first one's.

    A word that names the effect of two keys, such as the arrows, stands for none of them.
    """
    keys = list(keys_in(hint[0]))
    if keys and (len(keys) == 1 == len(hint[0].split()) or keys[0][2] == "enter"):
        canvas.link(x, y, _width_of_hint(hint), 1, Press(keys[0][2]))
    for place, written, key in keys:
        canvas.link(x + cell_len(hint[0][:place]), y, cell_len(written), 1, Press(key))


def rows_of(hints: Iterable[Hint], width: int) -> Iterator[Sequence[Hint]]:
    """Lay hints into rows of `width` cells; none is broken."""
    row: list[Hint] = []
    column = 0
    for hint in hints:
        if row and column + GAP + _width_of_hint(hint) > width:
            yield row
            row, column = [], 0
        column += GAP * bool(row) + _width_of_hint(hint)
        row.append(hint)
    if row:
        yield row


def _width_of_hint(hint: Hint) -> int:
    key, word = hint
    return cell_len(key) + 1 + cell_len(word) if word else cell_len(key)


def width_of_keys(pairs: Iterable[Hint]) -> int:
    """Count the cells of (key, word) pairs in the key bar."""
    return sum(cell_len(key) + (1 + cell_len(word) if word else 0) + GAP for key, word in pairs) - GAP
