"""The chips on the card, as marks in fives; their count is always written beside them."""

from scoville_client.tui.drawing.canvas import Canvas

CHIP = "●"
_FIVE = 5


def draw_chips(canvas: Canvas, x: int, y: int, width: int, height: int, count: int) -> int:
    """Draw `count` chips in fives in `width` x `height` cells, as many as there is room for; returns the rows used."""
    across = max(1, (width + 1) // (_FIVE + 1)) * _FIVE
    rows = min(height, -(-count // across))
    for row in range(rows):
        canvas.put(x, y + row, _in_fives(min(across, count - row * across)), "target")
    if count > rows * across and rows:
        canvas.put(x + _length(across) - 1, y + rows - 1, "…", "target")
    return rows


def _in_fives(count: int) -> str:
    return " ".join(CHIP * min(_FIVE, count - start) for start in range(0, count, _FIVE))


def _length(count: int) -> int:
    return len(_in_fives(count))
