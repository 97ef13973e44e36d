"""The chili circle: six cards, clockwise from the left; the target pushed inward, its place on the rim open."""

from collections.abc import Iterator, Sequence
from math import cos, pi, sin

from scoville_client.i18n.language import tr
from scoville_client.tui.boards.dicht_dran.cards import WIDTH as CARD_WIDTH
from scoville_client.tui.boards.dicht_dran.cards import Edge, draw_card
from scoville_client.tui.drawing.canvas import Canvas
from scoville_shared.games.dicht_dran.state import CIRCLE_SLOTS, Board

WIDTH = 30
HEIGHT = 11

RIM = ((0, 4), (6, 0), (18, 0), (24, 4), (18, 8), (6, 8))
"""Top left corners of the six slots; slot 0, the 1, lies at nine o'clock."""
INWARD = ((7, 4), (9, 3), (15, 3), (17, 4), (15, 5), (9, 5))
"""Where the card of each slot lies while it is the target."""
_CLOCKWISE = "↗→↘↙←↖"
_CENTRE = (14.5, 5.0)
_RADII = (12.0, 4.62)
_DOTS = 24


def draw_circle(canvas: Canvas, x: int, y: int, board: Board, peppers: Sequence[int]) -> None:
    """Draw the circle in WIDTH x HEIGHT cells with its top left corner at (x, y)."""
    for slot in range(CIRCLE_SLOTS):
        if board.target not in (slot, (slot + 1) % CIRCLE_SLOTS):
            _draw_arc(canvas, x, y, slot)
    for slot in range(CIRCLE_SLOTS):
        _draw_slot(canvas, x, y, board, slot, peppers)
    left, top = RIM[board.target]
    low, high = board.gap
    canvas.put_centred(x + left, CARD_WIDTH, y + top + 1, tr("gap"), "gap")
    canvas.put_centred(x + left, CARD_WIDTH, y + top + 2, f"{low}-{high}", "gap")


def rim_slots(target: int) -> tuple[int, int]:
    """Return the slots beside the target, whose cards are the ends of the gap."""
    return (target - 1) % CIRCLE_SLOTS, (target + 1) % CIRCLE_SLOTS


def _draw_slot(canvas: Canvas, x: int, y: int, board: Board, slot: int, peppers: Sequence[int]) -> None:
    left, top = RIM[slot]
    edge, style = Edge.PLAIN, "card"
    if slot == board.target:
        left, top = INWARD[slot]
        edge, style = Edge.DOUBLE, "target"
    elif slot in rim_slots(board.target):
        edge, style = Edge.HEAVY, "rim"
    card = board.circle[slot]
    draw_card(canvas, x + left, y + top, card, peppers[card], edge=edge, style=style)


def _draw_arc(canvas: Canvas, x: int, y: int, slot: int) -> None:
    for column, row in _arc(slot):
        canvas.put(x + column, y + row, "·", "faint")
    column, row = _at(slot + 0.5)
    canvas.put(x + column, y + row, _CLOCKWISE[slot], "muted")


def _arc(slot: int) -> Iterator[tuple[int, int]]:
    return (_at(slot + dot / _DOTS) for dot in range(_DOTS + 1))


def _at(slots: float) -> tuple[int, int]:
    angle = pi - slots * 2 * pi / CIRCLE_SLOTS
    return round(_CENTRE[0] + _RADII[0] * cos(angle)), round(_CENTRE[1] - _RADII[1] * sin(angle))
