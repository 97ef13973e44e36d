"""Board of a game without its own: the table in sentences, and the legal moves to choose from."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, ClassVar, Final

from rich.cells import cell_len
from textual.binding import BindingType

from scoville_client.i18n.language import render, tr
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.session.changes import EventApplied
from scoville_client.tui.actions import Action, bindings
from scoville_client.tui.boards.actions import MOVES
from scoville_client.tui.boards.board import Board
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_client.tui.drawing.status import TIME, BoardStatus
from scoville_client.tui.drawing.text_box import draw_log
from scoville_shared.engine.phrases import Phrase, Who

MOST_DRAWN: Final = 500
"""Moves that can be chosen on the screen; a game with more has the most useful ones first."""


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
        moves = self._move_rows(width - 4, max(1, height // 4))
        log = [render(line.phrase, at.names) for line in at.log[-height:]] if self.shows_log else []
        draw_log(canvas, 2, y + 1, width - 4, height - y - 3 - max(1, len(moves)), log)
        for line, labels in enumerate(moves, height - 1 - len(moves)):
            column = 2
            for index, label in labels:
                column = canvas.put(column, line, label, "selected" if index == self._index else "card") + 1
        return canvas

    def _move_rows(self, width: int, most: int) -> list[list[tuple[int, str]]]:
        """Lay out the moves in rows of a width, by their numbers; at most so many rows, with the selected move."""
        at = self.at
        rows: list[list[tuple[int, str]]] = []
        free = chosen = 0
        for index, move in enumerate(self._listed()):
            name = render(at.game.text.describe_move(move), at.names)
            label = f" {fitted(name, min(cell_len(name), width - 2))} "
            if not rows or cell_len(label) > free:
                rows.append([])
                free = width
            rows[-1].append((index, label))
            free -= cell_len(label) + 1
            chosen = len(rows) - 1 if index == self._index else chosen
        first = max(0, min(chosen - most // 2, len(rows) - most))
        return rows[first : first + most]

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
        moves = self._listed()
        if moves:
            self.decide_move(moves[min(self._index, len(moves) - 1)])

    def _listed(self) -> list[Any]:
        return list(islice(self.at.legal_moves(), MOST_DRAWN))

    def _select_move(self, index: int) -> None:
        self._index = max(0, min(index, len(self._listed()) - 1))
        self.repaint()


BOARD = SentencesBoard
