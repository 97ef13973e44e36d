"""Page with a board that no server plays at: of a replay, a puzzle or a tutorial."""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from scoville_client.i18n.language import current_language, render
from scoville_client.rules import rules_pages
from scoville_client.tui.boards.board import Board
from scoville_client.tui.drawing.canvas import Area
from scoville_client.tui.screens.base import WITH_COLUMN
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.table.side_column import SideColumn


class BoardPage(Page):
    """Shows a board, and beside it in wide windows the log up to what the board shows."""

    HORIZONTAL_BREAKPOINTS = WITH_COLUMN

    def __init__(self, board: Board) -> None:
        super().__init__()
        self.board = board

    def compose_body(self) -> ComposeResult:
        with Horizontal(id="table"):
            with Vertical(id="stage"):
                yield self.board
            yield SideColumn(self._log_lines, None, self._game_to_explain)

    def _log_lines(self, most: int) -> list[str]:
        return [render(phrase, self.board.at.names) for phrase in self.board.past_phrases()[-most:]]

    def _game_to_explain(self) -> str:
        game = self.board.at.info.game
        return game if rules_pages(game, current_language()) else ""

    @property
    def notice_area(self) -> Area | None:
        return self.board.notice_area

    @property
    def notice_ends(self) -> tuple[int, ...]:
        return self.board.notice_ends

    @property
    def rules(self) -> tuple[str, str]:
        return self.board.at.info.game, self.board.page

    def on_board_moved(self) -> None:
        self.query_one(SideColumn).repaint()
