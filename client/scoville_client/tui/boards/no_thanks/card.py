"""The card in the middle and the deck beside it: a face with its number, a back, an empty place."""

from typing import NamedTuple

from scoville_client.tui.drawing.canvas import Area, Canvas
from scoville_client.tui.drawing.digits import draw_figure
from scoville_client.tui.drawing.frames import Edge, draw_frame, draw_shade, inside_of
from scoville_shared.games.no_thanks.state import CARDS

CHIP = "●"
_FIVE = 5


def draw_chips(canvas: Canvas, x: int, y: int, width: int, height: int, count: int) -> int:
    """Draw `count` chips in fives in `width` x `height` cells, as many as there is room for; returns the rows used."""
    across = max(1, (width + 1) // (_FIVE + 1)) * _FIVE
    rows = min(height, -(-count // across))
    for row in range(rows):
        canvas.put(x, y + row, _in_fives(min(across, count - row * across)), "target")
    if count > rows * across and rows:
        canvas.put(x + _width_of_chips(across) - 1, y + rows - 1, "…", "target")
    return rows


def _in_fives(count: int) -> str:
    return " ".join(CHIP * min(_FIVE, count - start) for start in range(0, count, _FIVE))


def _width_of_chips(count: int) -> int:
    return len(_in_fives(count))


_HEATS = 5


class Face(NamedTuple):
    """A size of card: columns and rows."""

    width: int
    height: int


MIDDLE = Face(11, 7)
SMALL = Face(9, 5)


def heat_style(card: int) -> str:
    """Return the style of a card: the more points, the hotter."""
    heat = (card - CARDS.start) * _HEATS // len(CARDS)
    return f"heat{1 + min(max(heat, 0), _HEATS - 1)}"


def draw_face(canvas: Canvas, area: Area, card: int, *, fresh: bool = False, pot: int | None = None) -> None:
    """Draw a card as large as an area; one that has just been turned up has a double edge, a pot lies at its foot."""
    style = heat_style(card)
    draw_frame(canvas, area, Edge.DOUBLE if fresh else Edge.PLAIN, style, str(card))
    x, y, width, height = inside_of(area)
    draw_shade(canvas, inside_of(area), style)
    if pot is not None:
        across = width - 2
        rows = min(max(1, -(-pot // (max(1, (across + 1) // (_FIVE + 1)) * _FIVE))), 2)
        chips = min(across, _width_of_chips(pot)) if pot else 0
        used = draw_chips(canvas, x + (width - chips) // 2, y + height - rows, across, rows, pot) if pot else 0
        height -= used
    draw_figure(canvas, (x + 1, y, width - 2, height), str(card), style)
    canvas.put(area[0] + 2, area[1], f" {card} ", "strong")


def draw_deck(canvas: Canvas, area: Area, word: str, *, empty: bool) -> None:
    """Draw the cards that are still face down with a word, or the empty place when there are none."""
    if empty:
        draw_place(canvas, area)
        return
    draw_frame(canvas, area, Edge.PLAIN, "muted", foot=word)
    x, y, width, height = inside_of(area)
    for row in range(height):
        canvas.put(x, y + row, "▒" * width, "faint")


def draw_place(canvas: Canvas, area: Area) -> None:
    """Draw the empty place of a card."""
    draw_frame(canvas, area, Edge.GHOST, "faint")
