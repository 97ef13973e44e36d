"""The number line from 1 to 100: the gap as a band, the target, and cards pinned to their places."""

from collections.abc import Sequence
from typing import NamedTuple

from scoville_client.i18n.language import tr
from scoville_client.tui.boards.number_line import Label, draw_labels
from scoville_client.tui.drawing.canvas import Canvas
from scoville_shared.games.dicht_dran.state import Board

HEIGHT = 4
LABEL_ROWS = 2
_HIGHEST = 100


class Pin(NamedTuple):
    """A card on the line; `first` pins get the place under their mark before others do.

    `at` is the number where a card is that still slides to its place.
    """

    card: int
    style: str
    first: bool = False
    at: int | None = None

    @property
    def place(self) -> int:
        """The number where the card is."""
        return self.card if self.at is None else self.at


def column(card: int, width: int) -> int:
    """Return the column of a card, of `width`."""
    return round((card - 1) * (width - 1) / (_HIGHEST - 1))


def draw_line(
    canvas: Canvas, x: int, y: int, width: int, board: Board, pins: Sequence[Pin], rows: int = LABEL_ROWS
) -> None:
    """Draw the line in `width` columns: the gap's ends and the target, the line, `rows` rows of the pins' labels."""
    low, high = board.gap
    _draw_band(canvas, x, y, width, rows + 2, (low, high))
    _draw_axis(canvas, x, y + 1, width, (low, high))
    for pin in pins:
        _mark(canvas, x + column(pin.place, width), y + 1, pin.style)
    at = column(board.target_card, width)
    start, end = (column(card, width) for card in (low, high))
    canvas.marks["gap"] = (x + start, y + 1, end - start + 1, 1)
    canvas.marks["target"] = (x + at, y, 1, 2)
    canvas.put(x + at, y + 1, "◆", "target")
    ends = [Pin(board.target_card, "target", first=True), Pin(low, "rim"), Pin(high, "rim")]
    _draw_labels(canvas, x, y, width, 1, ends)
    _draw_labels(canvas, x, y + 2, width, rows, pins)
    _name_band(canvas, x, y, width, (low, high))


def _draw_axis(canvas: Canvas, x: int, y: int, width: int, gap: tuple[int, int]) -> None:
    canvas.put(x, y, "─" * width, "faint")
    start, end = (column(card, width) for card in gap)
    canvas.put(x + start, y, "━" * (end - start + 1), "band")
    canvas.put(x + start, y, "┣", "rim")
    canvas.put(x + end, y, "┫", "rim")


def _draw_band(canvas: Canvas, x: int, y: int, width: int, height: int, gap: tuple[int, int]) -> None:
    start, end = (column(card, width) for card in gap)
    for row in range(height):
        canvas.restyle(x + start + 1, y + row, end - start - 1, "band")


def _name_band(canvas: Canvas, x: int, y: int, width: int, gap: tuple[int, int]) -> None:
    """Name the band in its free place that is nearest to the middle."""
    word = tr("gap")
    start, end = (x + column(card, width) for card in gap)
    places = range(start + 2, end - len(word))
    for at in sorted(places, key=lambda at: abs(at + len(word) // 2 - (start + end) // 2)):
        if all(canvas.char(beside, y) == " " for beside in range(at - 1, at + len(word) + 1)):
            canvas.put(at, y, word, "band")
            return


def _mark(canvas: Canvas, x: int, y: int, style: str) -> None:
    canvas.put(x, y, "┯" if canvas.char(x, y) in "━┯" else "┬", style)


def _draw_labels(canvas: Canvas, x: int, y: int, width: int, rows: int, pins: Sequence[Pin]) -> None:
    """Label the pins; one that finds no room keeps its mark only."""
    labels = [Label(pin.card, column(pin.place, width), str(pin.card), pin.style, pin.first) for pin in pins]
    draw_labels(canvas, x, y, width, rows, labels)
