"""Board of a game without its own: the table in sentences, and the legal moves to choose from."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import BindingType

from scoville_client.i18n.language import render, tr
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.session.changes import EventApplied
from scoville_client.tui.actions import Action, bindings
from scoville_client.tui.boards.actions import MOVES
from scoville_client.tui.boards.board import Board
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.status import TIME, BoardStatus
from scoville_client.tui.drawing.text_box import draw_log
from scoville_shared.engine.phrases import Phrase, Who


class SentencesBoard(Board):
    """Shows `text.table`, the log's end and the moves; left and right go through the moves."""

    ACTIONS: ClassVar[Sequence[Action]] = MOVES
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("play", ACTIONS)]
    _index = 0

    def show_event(self, change: EventApplied) -> None:  # noqa: ARG002
        self.show_table(self.at)

    def draw_table(self, width: int, height: int) -> Canvas:
        """Draw the table above, everybody's time, the log in the middle, the moves beneath."""
        canvas = Canvas(width, height)
        at, y, status = self.at, 0, self.status
        for phrase in self._table_phrases(status):
            for row in wrap_lines(render(phrase, at.names), width - 4):
                canvas.put(2, y, row, "text")
                y += 1
        y = self._draw_times(canvas, y, status)
        log = [render(line.phrase, at.names) for line in at.log[-height:]] if self.shows_log else []
        draw_log(canvas, 2, y + 1, width - 4, height - y - 4, log)
        column = 2
        for index, move in enumerate(islice(at.legal_moves(), width)):
            label = f" {render(at.game.text.describe_move(move), at.names)} "
            column = canvas.put(column, height - 2, label, "selected" if index == self._index else "card") + 1
        return canvas

    def _table_phrases(self, status: BoardStatus) -> Iterator[Phrase]:
        """Describe the table; to a spectator with a point of view also that, and who moves."""
        at = self.at
        if status.place is not None and at.view is not None:
            yield status.for_viewer(
                Phrase("To move: {others}.", {"others": [Who(seat) for seat in sorted(at.pending)]})
            )
        yield from at.game.text.describe_table(at.view) if at.view is not None else ()

    def _draw_times(self, canvas: Canvas, y: int, status: BoardStatus) -> int:
        """Draw everybody's time, in as many rows as it takes; returns the row beneath."""
        if not status.times:
            return y
        column = canvas.put(2, y, tr("paused") if status.paused else render(TIME), "muted") + 2
        for name, face in zip(self.at.names, status.times, strict=True):
            if face.time:
                if column + cell_len(name) + status.room > canvas.width - 2:
                    column, y = 2, y + 1
                column = canvas.put(canvas.put(column, y, name, "muted") + 1, y, face.text, face.style) + 2
        return y + 1

    def action_left(self) -> None:
        self._select_move(self._index - 1)

    def action_right(self) -> None:
        self._select_move(self._index + 1)

    def action_play(self) -> None:
        moves = self.at.legal_moves()
        if moves:
            self.decide_move(moves[min(self._index, len(moves) - 1)])

    def _select_move(self, index: int) -> None:
        self._index = max(0, min(index, len(self.at.legal_moves()) - 1))
        self.repaint()


BOARD = SentencesBoard
