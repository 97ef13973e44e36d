"""Puzzle screen: a decision of a real game on its board; the first choice is the answer, then the next puzzle."""

from collections.abc import Hashable, Mapping
from typing import ClassVar

from textual.binding import BindingType

from scoville_client.i18n.language import tr
from scoville_client.puzzles.layout import lay_out_puzzle
from scoville_client.puzzles.sentences import change_text, question_text, reason_text, source_text, verdict_text
from scoville_client.puzzles.source import PuzzleSource
from scoville_client.session.table.table import AtTable
from scoville_client.tui.actions import screen_bindings
from scoville_client.tui.boards import find_board
from scoville_client.tui.boards.board import Board
from scoville_client.tui.drawing.callout import draw_callout
from scoville_client.tui.drawing.canvas import Area, Canvas
from scoville_client.tui.drawing.chances import Chance
from scoville_client.tui.request import Request
from scoville_client.tui.screens.base import KeyActions
from scoville_client.tui.screens.board_page import BoardPage
from scoville_client.tui.widgets.key_bar import KeyBar
from scoville_shared.protocol.messages import PuzzleAnswer, PuzzleInfo


class PuzzleScreen(BoardPage):
    """Shows a puzzle of a source, and after the user's choice its answer, with the chance of every choice.

    Args:
        source: Answers, and poses the next puzzle.
        posed: The puzzle.
        at: Its table.
        game: The game of which further puzzles are wanted; any game by default.
    """

    KEY_CONTEXT = "puzzle"
    BINDINGS: ClassVar[list[BindingType]] = [*screen_bindings("puzzle")]

    def __init__(self, source: PuzzleSource, posed: PuzzleInfo, at: AtTable, game: str = "") -> None:
        super().__init__(find_board(posed.game)(at, 0))
        self.source = source
        self.posed = posed
        self.game = game
        self.answer: PuzzleAnswer | None = None
        self._at = at
        self._asked = False
        self.board.overlay = self._draw_answer
        # To say that a move is costly would be to give the answer.
        self.board.warns = False

    def on_mount(self) -> None:
        self.set_focus(self.board)
        self._show_keys()
        self.show_notice(question_text(self._at))

    @property
    def meaning(self) -> Hashable:
        """Effect of Enter: choose, or go to the next puzzle."""
        return self.posed.id, self.answer is None, self.board.meaning

    def on_board_moved(self) -> None:
        self._show_keys()

    def on_board_play(self, message: Board.Play) -> None:
        """Take the first choice as the answer."""
        if self._asked:
            return
        self._asked = True
        move = self._at.game.codec.encode_plain(message.move)
        Request(self.source.answer(self.posed, move), self._show_answer, self._show_failure).start_worker(self)

    def _show_failure(self, sentence: str) -> None:
        self._asked = False
        self.show_notice(sentence, error=True)

    def _show_answer(self, answer: PuzzleAnswer) -> None:
        self.answer = answer
        self.show_notice("")
        self.board.show_chances(self._list_chances(answer))
        self.board.repaint()
        self._show_keys()

    def _list_chances(self, answer: PuzzleAnswer) -> Mapping[Hashable, Chance]:
        """Return the bars of all moves, which boards draw at the cards."""
        longest = max(choice.win for choice in answer.choices) / 1_000 or 1.0
        decode = self._at.game.codec.decode_move
        return {
            decode(move): Chance(
                tr("{number} %", number=round(choice.win / 10)), choice.win / 1_000, 0.0, longest, is_good=place == 0
            )
            for place, choice in enumerate(answer.choices)
            for move in choice.moves
        }

    # --- what is drawn ----------------------------------------------------------------------------------

    def _draw_answer(self, canvas: Canvas) -> None:
        answer = self.answer
        if answer is None:
            return
        text = " ".join((verdict_text(self._at, answer), reason_text(answer)))
        change = " ".join((source_text(answer), change_text(answer)))
        hint = f"{tr('Enter')} {tr('next')}  {tr('Esc')} {tr('end')}"
        said = f"{text}\n\n{change}"
        # On a phone the answer may cover the choices: it names them.
        if not draw_callout(canvas, said, hint, None, self._list_kept(canvas)):
            draw_callout(canvas, said, hint, None, ())

    @staticmethod
    def _list_kept(canvas: Canvas) -> list[Area]:
        """Return the cells of the choices, which the answer does not cover where there is other room."""
        return [area for name, area in canvas.marks.items() if name in ("answers", "hand", "choices")]

    def _show_keys(self) -> None:
        for bar in self.children_of(KeyBar):
            if self.answer is None:
                bar.show_keys(self.KEY_CONTEXT, *self.board.keys, own=self.board.own_actions)
            else:
                bar.show_keys(self.KEY_CONTEXT, (tr("Enter"), tr("next")))

    def retranslate(self) -> None:
        self._show_keys()
        super().retranslate()

    # --- keys -------------------------------------------------------------------------------------------

    def key_actions(self) -> KeyActions:
        return {
            **super().key_actions(),
            "back": lambda: self.shell.navigation.close_page(self),
            "help": lambda: self.shell.navigation.open_help(self.KEY_CONTEXT, self.board.ACTIONS),
            "next_puzzle": lambda: self.shell.navigation.open_next_puzzle(self.source, self.game),
        }

    def allows_action(self, action: str) -> bool:
        return action != "next_puzzle" or self.answer is not None  # else Enter is the board's


async def make_puzzle(source: PuzzleSource, game: str, besides: str, name: str) -> PuzzleScreen | None:
    """Make the screen of the next puzzle; None if there is none left."""
    posed = await source.pose_next(game, besides)
    return None if posed is None else PuzzleScreen(source, posed, lay_out_puzzle(posed, name), game)
