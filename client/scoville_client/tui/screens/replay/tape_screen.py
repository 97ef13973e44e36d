"""Base of the screens that step through a game on its board: of replays, and of looking back."""

from collections.abc import Callable, Iterable
from typing import ClassVar, Final, Generic, TypeVar

from textual.app import ComposeResult
from textual.events import Resize

from scoville_client.replays.playback import Tape
from scoville_client.tui import STYLES
from scoville_client.tui.boards import find_board
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.screens.base import KeyActions
from scoville_client.tui.screens.board_page import BoardPage
from scoville_client.tui.screens.replay.replay_bar import Piece, ReplayBar
from scoville_client.tui.screens.table.side_column import SideColumn
from scoville_client.tui.widgets.timers import call_after
from scoville_runtime.clock import Alarm

_SLOWEST: Final = 0.25
_FASTEST: Final = 8.0


class TapePlayer:
    """Moves a tape, and shows on its board and bar where it is.

    Args:
        tape: The game.
        board: Its board; timers run on the clock of the app that shows it.
        bar: Shows the position, the speed, and whether the tape plays.
        pace: The seconds of a step at the usual speed.
        note_position: Called whenever another position is shown.
        note_end: Called when a step is wanted after the last one.
    """

    def __init__(
        self,
        tape: Tape,
        board: Board,
        bar: ReplayBar,
        pace: float,
        note_position: Callable[[], object],
        note_end: Callable[[], object],
    ) -> None:
        self._tape = tape
        self._board = board
        self._bar = bar
        self._pace = pace
        self._note_position = note_position
        self._note_end = note_end
        self._timer: Alarm | None = None

    def key_actions(self) -> KeyActions:
        """Return the functions of a tape's keys."""
        return {
            "backward": self.step_back,
            "faster": lambda: self.change_speed(2),
            "forward": self.step_forward,
            "next_part": lambda: self._move_tape(self._tape.go_to_next_part),
            "part_before": lambda: self._move_tape(self._tape.go_to_part_before),
            "run": self.toggle_playing,
            "slower": lambda: self.change_speed(0.5),
            "to_end": self.show_end,
            "to_start": lambda: self._move_tape(lambda: self._tape.go_to(0)),
        }

    # --- one step -----------------------------------------------------------------------------------------

    def show_next(self) -> None:
        """Show the next frame of the animation, or the next step of the game."""
        if self._board.animating and isinstance(self._board, StoryBoard):
            self._board.show_next_frame()
            return
        change = self._tape.step_forward()
        if change is None:
            self.stop_playing()
            self._note_end()
        # The result has a picture of its own, and no story on the board.
        elif self._tape.at.result is None:
            self._board.show_event(change)
        self._note_position()

    def step_forward(self) -> None:
        """Go forward by one step, and stop playing."""
        self.stop_playing()
        self.show_next()

    def step_back(self) -> None:
        """Go back by one step, and stop playing."""
        self.stop_playing()
        self._move_tape(self._tape.step_back)

    def show_moment(self, position: int) -> None:
        """Go to a position, and stop playing."""
        self.stop_playing()
        self._move_tape(lambda: self._tape.go_to(position))

    def show_end(self) -> None:
        """Go to the end."""
        self.show_moment(self._tape.last)

    def show_position(self) -> None:
        """Show the position of the tape without an animation."""
        self._board.show_table(self._tape.at)
        self._note_position()

    def _move_tape(self, move: Callable[[], object]) -> None:
        move()
        self.show_position()

    # --- playing ------------------------------------------------------------------------------------------

    @property
    def is_playing(self) -> bool:
        return self._timer is not None

    @property
    def _step_seconds(self) -> float:
        """The seconds of a step at the present speed."""
        return self._pace / self._bar.speed

    def start_playing(self) -> None:
        self._schedule_step()
        self._show_playing()

    def stop_playing(self) -> None:
        """Stop playing, if it plays."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._show_playing()

    def toggle_playing(self) -> None:
        """Start or stop playing; at the end it starts from the beginning."""
        if self.is_playing:
            self.stop_playing()
            return
        if self._tape.position == self._tape.last:
            self._move_tape(lambda: self._tape.go_to(0))
        self.start_playing()

    def change_speed(self, factor: float) -> None:
        """Multiply the speed of playing and of animations, within its bounds."""
        self._bar.speed = max(_SLOWEST, min(self._bar.speed * factor, _FASTEST))
        self._bar.repaint()
        if self.is_playing:
            self.stop_playing()
            self.start_playing()
        self._board.pace = self._step_seconds

    def _schedule_step(self) -> None:
        self._timer = call_after(self._bar, self._step_seconds, self._take_step)

    def _take_step(self) -> None:
        if not self.is_playing:  # it was stopped while this was queued
            return
        self._schedule_step()
        # A step waits for a story that still runs.
        if not self._board.animating:
            self.show_next()

    def _show_playing(self) -> None:
        self._bar.running = self.is_playing
        self._bar.repaint()


_TALL = 24
"""Rows of a terminal that has room for the key bar too."""
T = TypeVar("T", bound=Tape)


class TapeScreen(BoardPage, Generic[T]):
    """Shows a tape; `pace` is the seconds of a step of an animation, 0 for none."""

    AUTO_FOCUS = None  # the keys are the screen's; the board only shows
    CSS_PATH: ClassVar = STYLES / "replay.tcss"

    def __init__(self, tape: T, pace: float) -> None:
        super().__init__(find_board(tape.at.info.game)(tape.at, pace))
        self.tape = tape
        # A board that cannot be focused only shows: keys and clicks are those of the screen.
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

    def compose_body(self) -> ComposeResult:
        yield from super().compose_body()
        yield self._bar

    def on_resize(self, event: Resize) -> None:
        self.set_class(event.size.height >= _TALL, "-tall")

    def note_position(self) -> None:
        """Show the position in the bar, and the log up to there."""
        self._bar.repaint()
        self.query_one(SideColumn).repaint()

    def note_end(self) -> None:
        """Note that a step is wanted after the last one."""

    def key_actions(self) -> KeyActions:
        return {**super().key_actions(), **self.player.key_actions()}
