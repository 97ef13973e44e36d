"""Tutorial screen: two guided rounds of a game on its board, with callouts that point at what matters."""

from collections.abc import Hashable, Sequence
from typing import ClassVar

from textual.binding import BindingType

from scoville_client.i18n.language import render, tr
from scoville_client.tui.actions import screen_bindings
from scoville_client.tui.boards import find_board
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.drawing.callout import draw_callout
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.screens.base import KeyActions
from scoville_client.tui.screens.board_page import BoardPage
from scoville_client.tui.widgets.key_bar import KeyBar
from scoville_client.tutorial.guided_game import GuidedGame
from scoville_client.tutorial.lesson import Callout, LessonFailed


class TutorialScreen(BoardPage):
    """Shows a guided game; `pace` is the seconds of a step of a story, 0 for none.

    Callouts are shown one after the other and never cover the choices, which can be used at any time.
    """

    KEY_CONTEXT = "tutorial"
    BINDINGS: ClassVar[list[BindingType]] = [*screen_bindings("tutorial")]

    def __init__(self, game: GuidedGame, pace: float) -> None:
        super().__init__(find_board(game.game.info.slug)(game.at, pace))
        self._game = game
        self.board.overlay = self._draw_callout
        self._callouts: Sequence[Callout] = self._game.list_callouts()

    def on_mount(self) -> None:
        if isinstance(self.board, StoryBoard):
            self.board.calm = self.shell.preferences.calm
        self.set_focus(self.board)
        self._show_keys()

    @property
    def callout(self) -> Callout | None:
        """The callout that is shown; none while a story is."""
        return self._callouts[0] if self._callouts and not self.board.animating else None

    @property
    def is_over(self) -> bool:
        """Whether both rounds are over."""
        return self._game.is_over

    @property
    def meaning(self) -> Hashable:
        """Effect of Enter: go to the next callout, or play."""
        return len(self._callouts), self._game.rounds, self.board.meaning

    def on_board_moved(self) -> None:
        """Show the callouts of the round once its story is over."""
        self._show_keys()

    def on_board_play(self, message: Board.Play) -> None:
        """Play the chosen move, and let the bots move."""
        if message.meaning != self.board.meaning or self._game.is_over:
            return
        before = self._game.rounds
        try:
            for change in self._game.play_move(message.move):
                self.board.show_event(change)
            self._callouts = self._game.list_callouts() if self._game.rounds > before else ()
        except LessonFailed as failed:
            self.shell.navigation.close_page(self)
            self.shell.call_later(self.shell.announce, failed.message)
            return
        self.board.repaint()
        self._show_keys()

    def on_board_doubted(self, message: Board.Doubted) -> None:
        self.show_notice(message.why)

    # --- what is drawn ----------------------------------------------------------------------------------

    def _draw_callout(self, canvas: Canvas) -> None:
        callout = self.callout
        if callout is None:
            return
        marks = canvas.marks
        kept = [marks[name] for name in (self._game.lesson.choices,) if name in marks]
        draw_callout(
            canvas, render(callout.text, self._game.at.names), self._hint_text(), marks.get(callout.mark), kept
        )

    def _hint_text(self) -> str:
        if self._game.is_over:
            return f"{tr('Enter')} {tr('practise')}  {tr('Esc')} {tr('start screen')}"
        return f"{tr('Enter')} {tr('next')}  {tr('Esc')} {tr('end')}"

    def _show_keys(self) -> None:
        for bar in self.children_of(KeyBar):
            if self.callout is not None:
                bar.show_keys(self.KEY_CONTEXT, (tr("Enter"), tr("practise") if self._game.is_over else tr("next")))
            else:
                bar.show_keys(self.KEY_CONTEXT, *self.board.keys, own=self.board.own_actions)

    def retranslate(self) -> None:
        self._show_keys()
        super().retranslate()

    # --- keys -------------------------------------------------------------------------------------------

    def key_actions(self) -> KeyActions:
        return {
            **super().key_actions(),
            "end_tutorial": lambda: self.shell.navigation.close_page(self),
            "go_on": self._show_next_callout,
            "help": lambda: self.shell.navigation.open_help(self.KEY_CONTEXT, self.board.ACTIONS),
        }

    def allows_action(self, action: str) -> bool:
        return action != "go_on" or self.callout is not None  # else Enter is the board's

    def _show_next_callout(self) -> None:
        if self._game.is_over:
            self.shell.navigation.start_practice(self._game.game.info.slug)
            return
        self._callouts = self._callouts[1:]
        self.board.repaint()
        self._show_keys()


def make_tutorial(game: str, name: str, pace: float) -> TutorialScreen:
    """Make the screen of a game's guided rounds for a user of that name; an empty one is a guest."""
    return TutorialScreen(GuidedGame(game, name), pace)
