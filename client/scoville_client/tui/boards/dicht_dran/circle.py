"""The chili circle: six cards, clockwise from the left; the target pushed inward, its place on the rim open."""

from collections.abc import Iterator, Sequence
from math import cos, pi, sin
from typing import NamedTuple

from scoville_client.i18n.language import tr
from scoville_client.tui.boards.dicht_dran import cards
from scoville_client.tui.boards.dicht_dran.cards import Edge, draw_card
from scoville_client.tui.drawing.canvas import Canvas
from scoville_shared.games.dicht_dran.state import CIRCLE_SLOTS, Board


class Circle(NamedTuple):
    """A size of the circle in columns and rows, with the size of its cards.

    `rim` are the top left corners of the six slots, slot 0, the 1, at nine o'clock; `inward` is where the card of each
    slot lies while it is the target.
    """

    width: int
    height: int
    card: cards.Size
    rim: Sequence[tuple[int, int]]
    inward: Sequence[tuple[int, int]]

    def at(self, slots: float) -> tuple[int, int]:
        """Return the cell on the line through the middles of the cards, so many slots from slot 0."""
        angle = pi - slots * 2 * pi / CIRCLE_SLOTS
        across, down = (self.width - 1) / 2, (self.height - 1) / 2
        wide = across - (self.card.width - 1) / 2
        high = (down - (self.card.height - 1) / 2) / sin(pi / 3)
        return round(across + wide * cos(angle)), round(down - high * sin(angle))


SMALL = Circle(
    30,
    11,
    cards.SMALL,
    ((0, 4), (6, 0), (18, 0), (24, 4), (18, 8), (6, 8)),
    ((7, 4), (9, 3), (15, 3), (17, 4), (15, 5), (9, 5)),
)
MIDDLE = Circle(
    44,
    15,
    cards.MIDDLE,
    ((0, 5), (9, 0), (26, 0), (35, 5), (26, 10), (9, 10)),
    ((11, 5), (14, 4), (21, 4), (24, 5), (21, 6), (14, 6)),
)
LARGE = Circle(
    62,
    21,
    cards.WIDEST,
    ((0, 7), (12, 0), (37, 0), (49, 7), (37, 14), (12, 14)),
    ((15, 7), (19, 6), (30, 6), (34, 7), (30, 8), (19, 8)),
)
SIZES = (LARGE, MIDDLE, SMALL)
_CLOCKWISE = "↗→↘↙←↖"
_DOTS = 24


def draw_circle(canvas: Canvas, x: int, y: int, board: Board, peppers: Sequence[int], circle: Circle = SMALL) -> None:
    """Draw the circle with its top left corner at (x, y)."""
    for slot in range(CIRCLE_SLOTS):
        if board.target not in (slot, (slot + 1) % CIRCLE_SLOTS):
            _draw_arc(canvas, x, y, circle, slot)
    for slot in range(CIRCLE_SLOTS):
        _draw_slot(canvas, x, y, board, slot, peppers, circle)
    left, top = circle.rim[board.target]
    low, high = board.gap
    middle = y + top + circle.card.height // 2
    canvas.put_centred(x + left, circle.card.width, middle, tr("gap"), "gap")
    canvas.put_centred(x + left, circle.card.width, middle + 1, f"{low}-{high}", "gap")


def rim_slots(target: int) -> tuple[int, int]:
    """Return the slots beside the target, whose cards are the ends of the gap."""
    return (target - 1) % CIRCLE_SLOTS, (target + 1) % CIRCLE_SLOTS


def _draw_slot(canvas: Canvas, x: int, y: int, board: Board, slot: int, peppers: Sequence[int], circle: Circle) -> None:
    left, top = circle.rim[slot]
    edge, style = Edge.PLAIN, "card"
    if slot == board.target:
        left, top = circle.inward[slot]
        edge, style = Edge.DOUBLE, "target"
    elif slot in rim_slots(board.target):
        edge, style = Edge.HEAVY, "rim"
    card = board.circle[slot]
    draw_card(canvas, x + left, y + top, card, peppers[card], edge=edge, style=style, size=circle.card)


def _draw_arc(canvas: Canvas, x: int, y: int, circle: Circle, slot: int) -> None:
    for column, row in _arc(circle, slot):
        canvas.put(x + column, y + row, "·", "faint")
    column, row = circle.at(slot + 0.5)
    canvas.put(x + column, y + row, _CLOCKWISE[slot], "muted")


def _arc(circle: Circle, slot: int) -> Iterator[tuple[int, int]]:
    return (circle.at(slot + dot / _DOTS) for dot in range(_DOTS + 1))
