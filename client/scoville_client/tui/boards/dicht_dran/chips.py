"""The circle in few cells: six chips instead of six boxes, the target inward and marked."""

from collections.abc import Sequence

from scoville_client.i18n.language import tr
from scoville_client.tui.boards.dicht_dran.cards import PEPPER
from scoville_client.tui.boards.dicht_dran.circle import rim_slots
from scoville_client.tui.drawing.canvas import Canvas
from scoville_shared.games.dicht_dran.state import Board

WIDTH = 24
HEIGHT = 5

_RIM = ((0, 2), (4, 0), (14, 0), (16, 2), (14, 4), (4, 4))
_INWARD = ((3, 2), (6, 1), (11, 1), (8, 2), (11, 3), (6, 3))
_ARROWS = ((3, 1, "↗"), (12, 0, "→"), (20, 1, "↘"), (20, 3, "↙"), (12, 4, "←"), (3, 3, "↖"))
_GAP = ((0, 2), (6, 0), (15, 0), (19, 2), (15, 4), (6, 4))
_MIDDLE = 2
_SHORT = 3
"""Cells between the rim and a target in the middle row."""


def draw_chips(canvas: Canvas, x: int, y: int, board: Board, peppers: Sequence[int]) -> None:
    """Draw the circle in WIDTH x HEIGHT cells."""
    rims = rim_slots(board.target)
    for slot, card in enumerate(board.circle):
        if board.target not in (slot, (slot + 1) % len(board.circle)):
            column, row, arrow = _ARROWS[slot]
            canvas.put(x + column, y + row, arrow, "faint")
        if slot == board.target:
            _draw_chip(canvas, x, y, _INWARD[slot], card, peppers[card], "◆◆", "target")
        else:
            brackets, style = ("[]", "rim") if slot in rims else ("()", "card")
            _draw_chip(canvas, x, y, _RIM[slot], card, peppers[card], brackets, style)
    _name_gap(canvas, x, y, board.target)


def _name_gap(canvas: Canvas, x: int, y: int, target: int) -> None:
    """Write what the open place is; a long word goes beside it, where the arrows around the target are left out."""
    word, (column, row) = tr("gap"), _GAP[target]
    if row == _MIDDLE and len(word) > _SHORT:
        column, row = min(column, WIDTH - len(word)), _MIDDLE - 1
    canvas.put(x + column, y + row, word, "gap")


def _draw_chip(
    canvas: Canvas, x: int, y: int, at: tuple[int, int], card: int, peppers: int, brackets: str, style: str
) -> None:
    column = canvas.put(x + at[0], y + at[1], f"{brackets[0]}{card}", style)
    column = canvas.put(column, y + at[1], PEPPER * peppers, f"pepper{peppers}")
    canvas.put(column, y + at[1], brackets[1], style)
