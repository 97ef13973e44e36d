"""Base of the screens that step through a game on its board: of replays, and of looking back."""

from collections.abc import Iterable
from typing import ClassVar, Generic, TypeVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.events import Resize

from scoville_client.i18n.language import render
from scoville_client.replays.tape import Tape
from scoville_client.tui import STYLES
from scoville_client.tui.boards import find_board
from scoville_client.tui.boards.board import Board
from scoville_client.tui.drawing.canvas import Area
from scoville_client.tui.screens.base import WITH_COLUMN, KeyActions
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.replay.replay_bar import Piece, ReplayBar
from scoville_client.tui.screens.replay.tape_player import TapePlayer
from scoville_client.tui.screens.table.side_column import SideColumn

_TALL = 24
"""Rows of a terminal that has room for the key bar too."""
T = TypeVar("T", bound=Tape)


class TapeScreen(Page, Generic[T]):
    """Shows a tape; `pace` is the seconds of a step of an animation, 0 for none."""

    AUTO_FOCUS = None  # the keys are the screen's; the board only shows
    CSS_PATH: ClassVar = STYLES / "replay.tcss"
    HORIZONTAL_BREAKPOINTS = WITH_COLUMN

    def __init__(self, tape: T, pace: float) -> None:
        super().__init__()
        self.tape = tape
        self.board: Board = find_board(tape.at.info.game)(tape.at, pace)
        self.board.can_focus = False
        self._bar = ReplayBar(tape, self.pieces_before, self.pieces_after)
        self.player = TapePlayer(tape, self.board, self._bar, pace, self.note_position, self.note_end)

    def pieces_before(self) -> Iterable[Piece]:
        """Return the pieces of the bar before its scrubber."""
        return ()

    def pieces_after(self) -> Iterable[Piece]:
        """Return the pieces of the bar behind the position."""
        return ()

    def on_replay_bar_position_clicked(self, message: ReplayBar.PositionClicked) -> None:
        self.player.show_moment(message.position)

    def on_replay_bar_run_clicked(self) -> None:
        self.player.toggle_playing()

    @property
    def notice_area(self) -> Area | None:
        return self.board.notice_area

    def on_board_rearranged(self) -> None:
        self.notices.place()

    def compose_body(self) -> ComposeResult:
        """Arrange the board, in wide windows the log beside it, and the replay bar."""
        with Horizontal(id="table"):
            with Vertical(id="stage"):
                yield self.board
            yield SideColumn(self._log, None)
        yield self._bar

    def _log(self, most: int) -> list[str]:
        """Write the newest lines of the log, up to what the board shows."""
        return [render(phrase, self.tape.at.names) for phrase in self.board.past_phrases()[-most:]]

    def on_board_moved(self) -> None:
        """Show the log up to the next frame of a story."""
        self.query_one(SideColumn).repaint()

    def on_resize(self, event: Resize) -> None:
        super().on_resize(event)
        self.set_class(event.size.height >= _TALL, "-tall")

    def note_position(self) -> None:
        """Show the position in the bar, and the log up to there."""
        self._bar.repaint()
        self.query_one(SideColumn).repaint()

    def note_end(self) -> None:
        """Note that a step is wanted after the last one."""

    @property
    def rules(self) -> tuple[str, str]:
        return self.tape.at.info.game, self.board.page

    def key_actions(self) -> KeyActions:
        return {**super().key_actions(), **self.player.key_actions()}
