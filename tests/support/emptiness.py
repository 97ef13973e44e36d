"""How empty a drawing is: the part of its blocks without a sign, and whether its parts hang together."""

from collections.abc import Iterator

from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.themes import LOOKS

_BLOCK = (4, 2)
"""Columns and rows of a block: what is smaller than it is the space between words."""
_REACH = 2
"""Blocks from one part to the next within which both belong together."""

Block = tuple[int, int]


def empty_share(canvas: Canvas) -> float:
    """Return the part of the blocks of a drawing that have no sign and no ground of their own."""
    blocks = list(_blocks(canvas))
    return (len(blocks) - len(inked_blocks(canvas))) / len(blocks)


def inked_blocks(canvas: Canvas) -> set[Block]:
    """Return the blocks with at least one sign or coloured cell."""
    return {block for block in _blocks(canvas) if any(_is_inked(canvas, *cell) for cell in _cells_of(block))}


def count_islands(canvas: Canvas) -> int:
    """Count the parts of a drawing that stand apart from each other."""
    left, islands = inked_blocks(canvas), 0
    while left:
        islands += 1
        found = [left.pop()]
        while found:
            x, y = found.pop()
            near = {
                (x + across, y + down) for across in range(-_REACH, _REACH + 1) for down in range(-_REACH, _REACH + 1)
            }
            found.extend(near & left)
            left -= near
    return islands


def _blocks(canvas: Canvas) -> Iterator[Block]:
    for y in range(canvas.height // _BLOCK[1]):
        for x in range(canvas.width // _BLOCK[0]):
            yield x, y


def _cells_of(block: Block) -> Iterator[tuple[int, int]]:
    x, y = block
    for row in range(_BLOCK[1]):
        for column in range(_BLOCK[0]):
            yield x * _BLOCK[0] + column, y * _BLOCK[1] + row


def _is_inked(canvas: Canvas, x: int, y: int) -> bool:
    return canvas.char(x, y) != " " or LOOKS[canvas.style(x, y)].background is not None
