"""The chili circle: six cards, clockwise from the left; the target pushed inward, its place on the rim open."""

from collections.abc import Iterator, Sequence
from math import cos, pi, sin
from typing import NamedTuple

from scoville_client.i18n.language import tr
from scoville_client.tui.boards.dicht_dran import cards
from scoville_client.tui.boards.dicht_dran.cards import PEPPER, Edge, draw_card
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

    def cell_at(self, slots: float) -> tuple[int, int]:
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
    for column, row in _arc_cells(circle, slot):
        canvas.put(x + column, y + row, "·", "faint")
    column, row = circle.cell_at(slot + 0.5)
    canvas.put(x + column, y + row, _CLOCKWISE[slot], "muted")


def _arc_cells(circle: Circle, slot: int) -> Iterator[tuple[int, int]]:
    return (circle.cell_at(slot + dot / _DOTS) for dot in range(_DOTS + 1))


CHIPS_WIDTH = 24
CHIPS_HEIGHT = 5

_CHIP_RIM = ((0, 2), (4, 0), (14, 0), (16, 2), (14, 4), (4, 4))
_CHIP_INWARD = ((3, 2), (6, 1), (11, 1), (8, 2), (11, 3), (6, 3))
_ARROWS = ((3, 1, "↗"), (12, 0, "→"), (20, 1, "↘"), (20, 3, "↙"), (12, 4, "←"), (3, 3, "↖"))
_CHIP_GAP = ((0, 2), (6, 0), (15, 0), (19, 2), (15, 4), (6, 4))
_MIDDLE = 2
_SHORT = 3
"""Cells between the rim and a target in the middle row."""


def draw_chips(canvas: Canvas, x: int, y: int, board: Board, peppers: Sequence[int]) -> None:
    """Draw the circle in CHIPS_WIDTH x CHIPS_HEIGHT cells."""
    rims = rim_slots(board.target)
    for slot, card in enumerate(board.circle):
        if board.target not in (slot, (slot + 1) % len(board.circle)):
            column, row, arrow = _ARROWS[slot]
            canvas.put(x + column, y + row, arrow, "faint")
        if slot == board.target:
            _draw_chip(canvas, x, y, _CHIP_INWARD[slot], card, peppers[card], "◆◆", "target")
        else:
            brackets, style = ("[]", "rim") if slot in rims else ("()", "card")
            _draw_chip(canvas, x, y, _CHIP_RIM[slot], card, peppers[card], brackets, style)
    _name_gap(canvas, x, y, board.target)


def _name_gap(canvas: Canvas, x: int, y: int, target: int) -> None:
    """Write what the open place is; a long word goes beside it, where the arrows around the target are left out."""
    word, (column, row) = tr("gap"), _CHIP_GAP[target]
    if row == _MIDDLE and len(word) > _SHORT:
        column, row = min(column, CHIPS_WIDTH - len(word)), _MIDDLE - 1
    canvas.put(x + column, y + row, word, "gap")


def _draw_chip(
    canvas: Canvas, x: int, y: int, at: tuple[int, int], card: int, peppers: int, brackets: str, style: str
) -> None:
    column = canvas.put(x + at[0], y + at[1], f"{brackets[0]}{card}", style)
    column = canvas.put(column, y + at[1], PEPPER * peppers, f"pepper{peppers}")
    canvas.put(column, y + at[1], brackets[1], style)
