"""Large numbers: three by five blocks a digit, in a sign that every terminal has."""

from scoville_client.tui.drawing.canvas import Canvas

ROWS = 5
_BLOCK = "█"
SHAPES = {
    "-": ("  ", "  ", "##", "  ", "  "),
    "0": ("###", "# #", "# #", "# #", "###"),
    "1": (" # ", "## ", " # ", " # ", "###"),
    "2": ("###", "  #", "###", "#  ", "###"),
    "3": ("###", "  #", "###", "  #", "###"),
    "4": ("# #", "# #", "###", "  #", "  #"),
    "5": ("###", "#  ", "###", "  #", "###"),
    "6": ("###", "#  ", "###", "# #", "###"),
    "7": ("###", "  #", "  #", "  #", "  #"),
    "8": ("###", "# #", "###", "# #", "###"),
    "9": ("###", "# #", "###", "  #", "###"),
}
"""The rows of each digit from top to bottom; `#` is a block."""


def width_of_number(number: int, wide: int) -> int:
    """Return how many columns `number` takes with blocks of `wide` cells."""
    return sum(len(SHAPES[sign][0]) + 1 for sign in str(number)) * wide - wide


def draw_number(canvas: Canvas, x: int, y: int, number: int, wide: int, style: str, tall: int = 1) -> None:
    """Draw `number` in ROWS * `tall` rows from (x, y) on, each block `wide` x `tall` cells."""
    for sign in str(number):
        for row in range(ROWS * tall):
            _draw_row(canvas, x, y + row, SHAPES[sign][row // tall], wide, style)
        x += (len(SHAPES[sign][0]) + 1) * wide


def _draw_row(canvas: Canvas, x: int, y: int, blocks: str, wide: int, style: str) -> None:
    for index, block in enumerate(blocks):
        if block == "#":
            canvas.put(x + index * wide, y, _BLOCK * wide, style)
