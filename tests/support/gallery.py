"""An app that shows one drawing in one theme, for snapshots of a board without a game."""

from collections.abc import Callable

from textual.app import App, ComposeResult

from scoville_client.session.table.table import AtTable
from scoville_client.settings.preferences import Preferences
from scoville_client.tui.boards.board import Board
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.terminal.traits import local_traits
from scoville_client.tui.themes import DARK, LIGHT
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
