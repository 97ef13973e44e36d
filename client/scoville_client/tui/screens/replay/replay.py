"""Replay screen: a finished game on its board, forwards and backwards, from any point of view."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.events import Key, Resize

from scoville_client.replays.playback import Playback
from scoville_client.tui import STYLES
from scoville_client.tui.actions import bindings
from scoville_client.tui.boards import find
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.drawing.canvas import Area
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.replay.autoplay import Autoplay
from scoville_client.tui.screens.replay.replay_bar import ReplayBar
from scoville_client.tui.screens.table.result import Result

_TALL = 26
"""Rows of a terminal that has room for the key bar too."""


class ReplayScreen(Page):
    """Shows a playback; `pace` is the seconds of a step of an animation, 0 for none."""

    KEY_CONTEXT = "replay"
    AUTO_FOCUS = None  # the keys are the screen's; the board only shows
    CSS_PATH = STYLES / "replay.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("replay")]

    def __init__(self, playback: Playback, pace: float) -> None:
        super().__init__()
        self.playback = playback
        self.board: Board = find(playback.reel.header.game)(playback.at, pace)
        self.board.can_focus = False
        self._bar = ReplayBar(playback)
        self._autoplay = Autoplay(self, self._bar, pace, self._step)

    @property
    def notice_area(self) -> Area | None:
        """The log of the board."""
        return self.board.notice_area

    def on_board_rearranged(self) -> None:
        """Move notices over the log of the board."""
        self.place_notices()

    def compose_body(self) -> ComposeResult:
        """Arrange the board and the replay bar."""
        with Vertical(id="stage"):
            yield self.board
        yield self._bar

    async def on_mount(self) -> None:
        """Show the beginning, and what a verification has found wrong."""
        wrong = [finding.sentence for finding in self.playback.reel.verdict.findings if not finding.held]
        self.show_notice(" ".join(wrong), error=True)
        await self._arrange()

    def on_resize(self, event: Resize) -> None:
        """Show the key bar in tall terminals."""
        super().on_resize(event)
        self.set_class(event.size.height >= _TALL, "-tall")

    # --- going through the game -------------------------------------------------------------------------

    def advance(self) -> None:
        """Show the next frame of the animation, or the next step of the game."""
        if self.board.animating and isinstance(self.board, StoryBoard):
            self.board.advance()
            return
        change = self.playback.forward()
        if change is None:
            self._autoplay.stop()
        elif self.playback.at.result is None:
            self.board.happened(change)
        self._update_bar()

    def _show_position(self) -> None:
        """Show the position of the playback without an animation."""
        self.board.show(self.playback.at)
        self._update_bar()

    def _update_bar(self) -> None:
        self._bar.repaint()
        self.call_later(self._arrange)

    async def _arrange(self) -> None:
        """Show the result after the last move, else the board."""
        over = self.playback.at.result is not None
        self.board.display = not over
        await self.query(Result).remove()
        if over:
            await self.query_one("#stage", Vertical).mount(Result(self.playback.at))

    # --- autoplay ---------------------------------------------------------------------------------------

    def _step(self) -> None:
        if not self.board.animating:
            self.advance()

    def _change_speed(self, factor: float) -> None:
        self._autoplay.change_speed(factor)
        self.board.pace = self._autoplay.step_seconds

    @property
    def rules(self) -> tuple[str, str]:
        """The page that fits the board."""
        return self.playback.at.info.game, self.board.page

    # --- keys -------------------------------------------------------------------------------------------

    def on_key(self, event: Key) -> None:
        """Type a digit of the number to go to."""
        if event.character is not None and event.character in "0123456789":
            event.stop()
            self._type((self._bar.typed + event.character)[-5:])

    def _type(self, digits: str) -> None:
        self._bar.typed = digits
        self._bar.repaint()

    def action_forward(self) -> None:
        """Go forward by one step."""
        self._autoplay.stop()
        self.advance()

    def action_backward(self) -> None:
        """Go back by one step."""
        self._autoplay.stop()
        self.playback.back()
        self._show_position()

    def action_next_part(self) -> None:
        """Go to the next round."""
        self.playback.next_part()
        self._show_position()

    def action_part_before(self) -> None:
        """Go to the beginning of the round, or the one before."""
        self.playback.part_before()
        self._show_position()

    def action_to_start(self) -> None:
        """Go to the deal."""
        self.playback.go(0)
        self._show_position()

    def action_to_end(self) -> None:
        """Go to the result."""
        self._autoplay.stop()
        self.playback.go(self.playback.reel.last)
        self._show_position()

    def action_run(self) -> None:
        """Start or stop autoplay; at the end it starts from the beginning."""
        if self._autoplay.running:
            self._autoplay.stop()
            return
        if self.playback.position == self.playback.reel.last:
            self.action_to_start()
        self._autoplay.play()

    def action_point_of_view(self) -> None:
        """Change to the next seat's point of view."""
        self.playback.look_further()
        self._show_position()

    def action_faster(self) -> None:
        """Double the speed."""
        self._change_speed(2)

    def action_slower(self) -> None:
        """Halve the speed."""
        self._change_speed(0.5)

    def action_go_to_part(self) -> None:
        """Go to the round whose number was typed."""
        if self._bar.typed:
            self.playback.go_to_part(int(self._bar.typed))
            self._typed_done()

    def action_go_to_move(self) -> None:
        """Go to the move whose number was typed."""
        if self._bar.typed:
            self.playback.go(int(self._bar.typed))
            self._typed_done()

    def _typed_done(self) -> None:
        self._bar.typed = ""
        self._show_position()

    async def action_back(self) -> None:
        """Clear the typed digits, or leave the replay."""
        if self._bar.typed:
            self._type("")
        elif len(self.app.screen_stack) > 2:
            await self.app.pop_screen()
        else:
            self.app.exit(0)
