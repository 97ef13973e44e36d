"""The card in the middle and the deck beside it: a face with its number, a back, an empty place."""

from typing import NamedTuple

from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.digits import ROWS, draw_number, width_of_number
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


_EDGE = tuple("╭─╮│╰╯")
_FRESH = tuple("╔═╗║╚╝")
_EMPTY = tuple("┌┄┐┊└┘")
"""Top left, across, top right, down, bottom left, bottom right."""
_HEATS = 5


class Face(NamedTuple):
    """A size of card: columns and rows, and the cells of a block of its number in both; 0 writes it plainly."""

    width: int
    height: int
    block: int
    tall: int = 1


HUGE = Face(34, 14, 4, 2)
LARGE = Face(18, 7, 2)
MIDDLE = Face(11, 7, 1)
SMALL = Face(9, 5, 0)
DECK = Face(8, 5, 0)


def heat_style(card: int) -> str:
    """Return the style of a card: the more points, the hotter."""
    heat = (card - CARDS.start) * _HEATS // len(CARDS)
    return f"heat{1 + min(max(heat, 0), _HEATS - 1)}"


def draw_face(canvas: Canvas, x: int, y: int, face: Face, card: int, *, fresh: bool = False) -> None:
    """Draw a card with its top left corner at (x, y); one that has just been turned up has a double edge."""
    style = heat_style(card)
    _draw_edge(canvas, x, y, face, _FRESH if fresh else _EDGE, style)
    if face.block:
        left = x + (face.width - width_of_number(card, face.block)) // 2
        top = y + (face.height - ROWS * face.tall) // 2
        draw_number(canvas, left, top, card, face.block, style, face.tall)
    else:
        canvas.put_centred(x, face.width, y + face.height // 2, str(card), "strong")
    canvas.put(x + 2, y, f" {card} ", "strong")
    canvas.put_right(x + face.width - 2, y + face.height - 1, f" {card} ", "strong")


def draw_deck(canvas: Canvas, x: int, y: int, left: int) -> None:
    """Draw the cards that are still face down, or the empty place when there are none."""
    if not left:
        draw_place(canvas, x, y, DECK)
        return
    _draw_edge(canvas, x, y, DECK, _EDGE, "muted")
    for row in range(1, DECK.height - 1):
        canvas.put(x + 1, y + row, "▒" * (DECK.width - 2), "faint")


def draw_place(canvas: Canvas, x: int, y: int, face: Face) -> None:
    """Draw the empty place of a card."""
    _draw_edge(canvas, x, y, face, _EMPTY, "faint")


def _draw_edge(canvas: Canvas, x: int, y: int, face: Face, edge: tuple[str, ...], style: str) -> None:
    top_left, across, top_right, down, bottom_left, bottom_right = edge
    inside = face.width - 2
    canvas.put(x, y, top_left + across * inside + top_right, style)
    for row in range(1, face.height - 1):
        canvas.put(x, y + row, down, style)
        canvas.put(x + face.width - 1, y + row, down, style)
    canvas.put(x, y + face.height - 1, bottom_left + across * inside + bottom_right, style)
