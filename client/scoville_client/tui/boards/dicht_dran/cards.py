"""How cards look: one as a box with its peppers as dots in the lower edge, and the chili circle of six.

The circle goes clockwise from the left; the target is pushed inward, its place on the rim open.
"""

from collections.abc import Sequence
from typing import NamedTuple

from scoville_client.i18n.language import tr
from scoville_client.tui.drawing.canvas import Area, Canvas
from scoville_client.tui.drawing.digits import ROWS, draw_figure, fit_block
from scoville_client.tui.drawing.frames import Edge, draw_frame, draw_shade, inside_of
from scoville_shared.games.dicht_dran.state import CIRCLE_SLOTS, Board

__all__ = ["HEIGHT", "PEPPER", "WIDTH", "Edge", "draw_back", "draw_card", "draw_ghost"]

PEPPER = "●"
WIDTH, HEIGHT = 6, 3
"""Columns and rows of the smallest card."""
LARGE_HEIGHT = ROWS + 2
"""Rows of a card from which on its number is in blocks."""


def draw_card(canvas: Canvas, area: Area, card: int, peppers: int, *, edge: Edge, style: str) -> None:
    """Draw a card face; `style` colours the edge and the number.

    A number in blocks is in the upper edge once more, for eyes that look for it there.
    """
    x, y, width, height = area
    inside = inside_of(area)
    block = fit_block([str(card)], inside[2], inside[3])
    draw_frame(canvas, area, edge, style, str(card) if block else "")
    if block is None:
        canvas.put_centred(x + 1, width - 2, y + height // 2, f"{card:>3} ", style)
    else:
        draw_shade(canvas, inside, style)
        draw_figure(canvas, inside, str(card), style, block)
    canvas.put(x + 1, y + height - 1, PEPPER * peppers, f"pepper{peppers}")
    canvas.note_face(inside, str(card), peppers)


def draw_back(canvas: Canvas, area: Area, style: str) -> None:
    """Draw a card that lies face down."""
    draw_frame(canvas, area, Edge.PLAIN, style)
    x, y, width, height = inside_of(area)
    for row in range(height):
        canvas.put(x, y + row, "▒" * width, style)


def draw_ghost(canvas: Canvas, area: Area, style: str) -> None:
    """Draw the empty place of a card."""
    draw_frame(canvas, area, Edge.GHOST, style)


LEAST_CIRCLE = 9
"""Rows of the circle with the smallest cards."""
LARGE_CIRCLE = 21
"""Rows of the circle from which on its cards have large numbers."""
_LARGE_CARD = LARGE_CIRCLE // 3
_CIRCLE_GAP = 4
"""Columns between two cards of a row, for the arrow from one to the other."""
_ARROW = 4
"""Columns and rows of a corner for each sign of the arrow in it, to both sides of its middle."""
_CLOCKWISE = "↗→↘↙←↖"


class Ring(NamedTuple):
    """The circle laid out: the areas of the six slots, slot 0 at nine o'clock, and of the target inside."""

    rim: Sequence[Area]
    inside: Area
    arrows: Sequence[tuple[int, int]]


def lay_ring(area: Area) -> Ring:
    """Lay the circle into an area: two cards above, one at either side of the target, two below."""
    x, y, width, height = area
    # Rows between the cards only where these keep the rows that large numbers need.
    high = max(min(_LARGE_CARD, height // 3), (height - 2) // 3)
    wide = (width - _CIRCLE_GAP) // 3
    air = max(0, (height - 3 * high) // 2)
    middle, bottom, right = y + high + air, y + height - high, x + width - wide

    pair = (width - wide - _CIRCLE_GAP) // 2
    first = x + (width - 2 * pair - _CIRCLE_GAP) // 2
    second = first + pair + _CIRCLE_GAP
    rim = (
        (x, middle, wide, high),
        (first, y, pair, high),
        (second, y, pair, high),
        (right, middle, wide, high),
        (second, bottom, pair, high),
        (first, bottom, pair, high),
    )

    taller = max(0, air - 1)
    inside = (x + wide + _CIRCLE_GAP // 2, middle - taller, width - 2 * wide - _CIRCLE_GAP, high + 2 * taller)

    corner, beside, row = (first - x) // 2, first + pair + _CIRCLE_GAP // 2 - 1, high // 2
    arrows = (
        (x + corner, y + row),
        (beside, y + row),
        (x + width - 1 - corner, y + row),
        (x + width - 1 - corner, bottom + row),
        (beside, bottom + row),
        (x + corner, bottom + row),
    )
    return Ring(rim, inside, arrows)


def draw_circle(canvas: Canvas, area: Area, board: Board, peppers: Sequence[int]) -> None:
    """Draw the circle in an area, its cards as large as it allows."""
    ring = lay_ring(area)
    # Arrows first: where they meet, a card covers its arrow.
    for slot in range(CIRCLE_SLOTS):
        # None from or to the open place: the target is not on the rim.
        if board.target not in (slot, (slot + 1) % CIRCLE_SLOTS):
            _draw_arrow(canvas, ring, slot)
    for slot in range(CIRCLE_SLOTS):
        _draw_slot(canvas, ring, board, slot, peppers)
    _draw_gap(canvas, ring.rim[board.target], board.gap)


def _draw_gap(canvas: Canvas, area: Area, gap: tuple[int, int]) -> None:
    """Draw the target's open place on the rim with the gap that it leaves, as large as there is room."""
    x, y, width, height = area
    low, high = gap
    text = f"{low}-{high}"
    draw_ghost(canvas, area, "gap")
    inside = inside_of(area)
    if (block := fit_block([text], inside[2], inside[3])) is not None:
        canvas.put(x + 2, y, f" {tr('gap')} {text} ", "gap")
        draw_figure(canvas, inside, text, "gap", block)
        return
    middle = y + max(1, height // 2 - 1 + height % 2 - (height == 3))
    if height > 3:
        canvas.put_centred(x, width, middle - (height > 4), tr("gap"), "gap")
        middle += height <= 4
    canvas.put_centred(x, width, middle, text, "gap")


def rim_slots(target: int) -> tuple[int, int]:
    """Return the slots beside the target, whose cards are the ends of the gap."""
    return (target - 1) % CIRCLE_SLOTS, (target + 1) % CIRCLE_SLOTS


def _draw_slot(canvas: Canvas, ring: Ring, board: Board, slot: int, peppers: Sequence[int]) -> None:
    area, edge, style = ring.rim[slot], Edge.PLAIN, "card"
    if slot == board.target:
        area, edge, style = ring.inside, Edge.DOUBLE, "target"
    elif slot in rim_slots(board.target):
        edge, style = Edge.HEAVY, "rim"
    card = board.circle[slot]
    draw_card(canvas, area, card, peppers[card], edge=edge, style=style)


def _draw_arrow(canvas: Canvas, ring: Ring, slot: int) -> None:
    """Draw the arrow from a slot to the next one, as long as there is room for it."""
    x, y = ring.arrows[slot]
    sign = _CLOCKWISE[slot]
    steps = {"→": (1, 0), "←": (1, 0), "↗": (2, -1), "↙": (2, -1), "↘": (2, 1), "↖": (2, 1)}
    across, down = steps[sign]
    corner, high = (ring.rim[1][0] - ring.rim[0][0]) // 2, ring.rim[0][3]
    reach = min(corner // _ARROW, high // _ARROW) if down else 0
    for far in range(-reach, reach + 1):
        canvas.put(x + far * across, y + far * down, sign, "muted")
    if not down:
        canvas.put(x + 1, y, sign, "muted")


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
    """Write the label of the open place; a long word goes beside it, where the target has no arrows."""
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
