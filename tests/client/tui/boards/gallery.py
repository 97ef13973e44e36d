"""An app that shows one drawing in one theme, for snapshots of a board without a game; and how empty a drawing is."""

from collections.abc import Callable, Iterator

from textual.app import App, ComposeResult

from scoville_client.session.table.table import AtTable
from scoville_client.settings.preferences import Preferences
from scoville_client.tui.boards.board import Board
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.frames import Edge
from scoville_client.tui.terminal.traits import local_traits
from scoville_client.tui.themes import DARK, LIGHT, LOOKS
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from tests.support.clock import FakeClock

Draw = Callable[[int, int], Canvas]

SIZES = [(80, 23), (46, 18)]
"""What is left for a board on a screen of 80 x 24 and of 46 x 19."""


class Picture(CanvasWidget):
    """Draws a given canvas."""

    def __init__(self, drawing: Draw) -> None:
        super().__init__()
        self.drawing = drawing

    def draw(self, width: int, height: int) -> Canvas:
        """Draw it."""
        return self.drawing(width, height)


class Gallery(App[None]):
    """Shows one drawing in the look of a theme."""

    terminal = local_traits(Preferences())

    def __init__(self, drawing: Draw, look: str) -> None:
        super().__init__()
        self.drawing = drawing
        for theme in (DARK, LIGHT):
            self.register_theme(theme)
        self.theme = look

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Name the colours that our themes have beyond Textual's."""
        return DARK.variables

    def compose(self) -> ComposeResult:
        """Show the drawing."""
        yield Picture(self.drawing)


class Hall(Gallery):
    """Shows a board with a manual clock (`hand`), and records its moves."""

    def __init__(self, board: type[Board], at: AtTable, now: float) -> None:
        super().__init__(Canvas, DARK.name)
        self.hand = FakeClock(now)
        self.clock = self.hand.clock
        self.decided: list[object] = []
        self.board = board(at, 0)

    def compose(self) -> ComposeResult:
        """Show the board."""
        yield self.board

    def on_board_play(self, message: Board.Play) -> None:
        """Record the move."""
        self.decided.append(message.move)

    @property
    def text(self) -> str:
        """What is drawn."""
        return str(self.board.draw(*self.board.size))


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


_LEFT_EDGES = {edge.value[0]: edge.value[3:5] for edge in Edge}
"""The upper left corner of each box, with the line below it and the lower corner."""


def find_open_boxes(canvas: Canvas) -> list[tuple[int, int]]:
    """Return the upper left corners, column and row, of boxes whose left edge does not lead to a lower corner."""
    return [
        (x, y)
        for y in range(canvas.height)
        if not _LEFT_EDGES.keys().isdisjoint(canvas.line(y))  # most rows have none
        for x in range(canvas.width)
        if (line := _LEFT_EDGES.get(canvas.char(x, y))) is not None and not _is_closed(canvas, x, y, *line)
    ]


def _is_closed(canvas: Canvas, x: int, y: int, line: str, corner: str) -> bool:
    for row in range(y + 1, canvas.height):
        if canvas.char(x, row) == corner:
            return True
        if canvas.char(x, row) != line:
            return False
    return False
