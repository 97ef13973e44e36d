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
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.drawing.canvas import Area
from scoville_client.tui.screens.base import WITH_COLUMN
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.replay.autoplay import Autoplay
from scoville_client.tui.screens.replay.replay_bar import Piece, ReplayBar
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
        self._bar = ReplayBar(tape, self.pieces_before, self.pieces_after, self.go, self.action_run)
        self._autoplay = Autoplay(self, self._bar, pace, self._step)

    def pieces_before(self) -> Iterable[Piece]:
        """Return the pieces of the bar before its scrubber."""
        return ()

    def pieces_after(self) -> Iterable[Piece]:
        """Return the pieces of the bar behind the position."""
        return ()

    @property
    def notice_area(self) -> Area | None:
        return self.board.notice_area

    def on_board_rearranged(self) -> None:
        self.place_notices()

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

    # --- going through the game -------------------------------------------------------------------------

    def advance(self) -> None:
        """Show the next frame of the animation, or the next step of the game."""
        if self.board.animating and isinstance(self.board, StoryBoard):
            self.board.show_next_frame()
            return
        change = self.tape.forward()
        if change is None:
            self._autoplay.stop()
        elif self.tape.at.result is None:
            self.board.show_event(change)
        self.position_changed()

    def show_position(self) -> None:
        """Show the position of the tape without an animation."""
        self.board.show_table(self.tape.at)
        self.position_changed()

    def position_changed(self) -> None:
        """Show the position in the bar, and the log up to there."""
        self._bar.repaint()
        self.query_one(SideColumn).repaint()

    # --- autoplay ---------------------------------------------------------------------------------------

    def _step(self) -> None:
        if not self.board.animating:
            self.advance()

    def play(self) -> None:
        """Start autoplay."""
        self._autoplay.play()

    def change_speed(self, factor: float) -> None:
        """Multiply the speed of autoplay and of animations."""
        self._autoplay.change_speed(factor)
        self.board.pace = self._autoplay.step_seconds

    @property
    def rules(self) -> tuple[str, str]:
        return self.tape.at.info.game, self.board.page

    # --- keys -------------------------------------------------------------------------------------------

    def action_forward(self) -> None:
        self._autoplay.stop()
        self.advance()

    def action_backward(self) -> None:
        self._autoplay.stop()
        self.tape.back()
        self.show_position()

    def go(self, position: int) -> None:
        """Go to a position."""
        self._autoplay.stop()
        self.tape.go(position)
        self.show_position()

    def action_next_part(self) -> None:
        self.tape.next_part()
        self.show_position()

    def action_part_before(self) -> None:
        self.tape.part_before()
        self.show_position()

    def action_to_start(self) -> None:
        self.tape.go(0)
        self.show_position()

    def action_to_end(self) -> None:
        self._autoplay.stop()
        self.tape.go(self.tape.last)
        self.show_position()

    def action_run(self) -> None:
        if self._autoplay.running:
            self._autoplay.stop()
            return
        if self.tape.position == self.tape.last:
            self.action_to_start()
        self.play()

    def action_faster(self) -> None:
        self.change_speed(2)

    def action_slower(self) -> None:
        self.change_speed(0.5)
