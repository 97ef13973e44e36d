"""A finished game on its own board: forwards, backwards, to any part of it, through anybody's eyes."""

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.events import Key, Resize

from scoville_client.clock import Handle
from scoville_client.replays.after_game import reel_of_finished_game
from scoville_client.replays.playback import Playback
from scoville_client.tui import STYLES
from scoville_client.tui.actions import bindings
from scoville_client.tui.boards import find
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.drawing.canvas import Area
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.replay.replay_bar import ReplayBar
from scoville_client.tui.screens.table.result import Result
from scoville_client.tui.widgets.timers import call_after

if TYPE_CHECKING:
    from scoville_client.tui.app import ScovilleApp

_TALL = 26
"""Rows from which there is room for the line of keys besides."""
_SLOWEST, _FASTEST = 0.25, 8.0


class ReplayScreen(Page):
    """Shows a playback; `pace` is how many seconds a step of a story stays, 0 to tell none."""

    WHERE = "replay"
    AUTO_FOCUS = None  # the keys are the screen's; the board only shows
    CSS_PATH = STYLES / "replay.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("replay")]

    def __init__(self, playback: Playback, pace: float) -> None:
        super().__init__()
        self.playback = playback
        self._pace = pace
        self._timer: Handle | None = None
        self.board: Board = find(playback.reel.header.game)(playback.at, pace)
        self.board.can_focus = False
        self._bar = ReplayBar(playback)

    @property
    def spare(self) -> Area | None:
        """What a notice may cover."""
        return self.board.spare

    def on_board_rearranged(self) -> None:
        """Place what is told where the log is now."""
        self.place_notices()

    def compose_body(self) -> ComposeResult:
        """Arrange the board and the line beneath it."""
        with Vertical(id="stage"):
            yield self.board
        yield self._bar

    async def on_mount(self) -> None:
        """Show where the replay begins, and what is wrong with the game if anything is."""
        wrong = [finding.sentence for finding in self.playback.reel.verdict.findings if not finding.held]
        self.tell(" ".join(wrong), bad=True)
        await self._arrange()

    def on_resize(self, event: Resize) -> None:
        """Show the line of keys where there is room for it."""
        super().on_resize(event)
        self.set_class(event.size.height >= _TALL, "-tall")

    # --- going through the game -------------------------------------------------------------------------

    def go_on(self) -> None:
        """Show the next frame of the story that is being told, or the next step of the game."""
        if self.board.telling and isinstance(self.board, StoryBoard):
            self.board.advance()
            return
        change = self.playback.forward()
        if change is None:
            self._stop()
        elif self.playback.at.result is None:
            self.board.happened(change)
        self._show_where()

    def _afresh(self) -> None:
        """Show where the playback has gone to, without a story."""
        self.board.show(self.playback.at)
        self._show_where()

    def _show_where(self) -> None:
        self._bar.repaint()
        self.call_later(self._arrange)

    async def _arrange(self) -> None:
        """Show the result after the last move, the board at any other time."""
        over = self.playback.at.result is not None
        self.board.display = not over
        await self.query(Result).remove()
        if over:
            await self.query_one("#stage", Vertical).mount(Result(self.playback.at))

    # --- by itself --------------------------------------------------------------------------------------

    def _run(self) -> None:
        self._wind()
        self._bar.running = True
        self._bar.repaint()

    def _wind(self) -> None:
        self._timer = call_after(self, self._pace / self._bar.speed, self._tick)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._bar.running = False
        self._bar.repaint()

    def _tick(self) -> None:
        if self._timer is None:  # stopped while the tick was on its way
            return
        self._wind()
        if not self.board.telling:
            self.go_on()

    def _change_speed(self, factor: float) -> None:
        self._bar.speed = max(_SLOWEST, min(self._bar.speed * factor, _FASTEST))
        self.board.pace = self._pace / self._bar.speed
        self._bar.repaint()
        if self._timer is not None:
            self._stop()
            self._run()

    @property
    def rules(self) -> tuple[str, str]:
        """Name the page that fits what is shown."""
        return self.playback.at.info.game, self.board.page

    # --- keys -------------------------------------------------------------------------------------------

    def on_key(self, event: Key) -> None:
        """Take digits as the number to go to."""
        if event.character is not None and event.character in "0123456789":
            event.stop()
            self._type((self._bar.typed + event.character)[-5:])

    def _type(self, digits: str) -> None:
        self._bar.typed = digits
        self._bar.repaint()

    def action_forward(self) -> None:
        """Go on by one step."""
        self._stop()
        self.go_on()

    def action_backward(self) -> None:
        """Go back by one step."""
        self._stop()
        self.playback.back()
        self._afresh()

    def action_next_part(self) -> None:
        """Go to the next round."""
        self.playback.next_part()
        self._afresh()

    def action_part_before(self) -> None:
        """Go to the beginning of the round, or the one before."""
        self.playback.part_before()
        self._afresh()

    def action_to_start(self) -> None:
        """Go to the deal."""
        self.playback.go(0)
        self._afresh()

    def action_to_end(self) -> None:
        """Go to the result."""
        self._stop()
        self.playback.go(self.playback.reel.last)
        self._afresh()

    def action_run(self) -> None:
        """Let the game play by itself, or stop it; at its end it begins again."""
        if self._timer is not None:
            self._stop()
            return
        if self.playback.position == self.playback.reel.last:
            self.action_to_start()
        self._run()

    def action_eyes(self) -> None:
        """Look through the next seat's eyes."""
        self.playback.look_further()
        self._afresh()

    def action_faster(self) -> None:
        """Play faster."""
        self._change_speed(2)

    def action_slower(self) -> None:
        """Play slower."""
        self._change_speed(0.5)

    def action_go_to_part(self) -> None:
        """Go to the round whose number was typed."""
        if self._bar.typed:
            self.playback.go_to_part(int(self._bar.typed))
            self._typed_away()

    def action_go_to_move(self) -> None:
        """Go to the move whose number was typed."""
        if self._bar.typed:
            self.playback.go(int(self._bar.typed))
            self._typed_away()

    def _typed_away(self) -> None:
        self._bar.typed = ""
        self._afresh()

    async def action_back(self) -> None:
        """Forget what was typed, or leave the replay."""
        if self._bar.typed:
            self._type("")
        elif len(self.app.screen_stack) > 2:
            await self.app.pop_screen()
        else:
            self.app.exit(0)


async def show_again(app: "ScovilleApp", pace: float) -> None:
    """Show the game that has just ended at the session's table. Raises ScovilleError and LinkError."""
    await app.show_page(ReplayScreen(await reel_of_finished_game(app.session), pace))
