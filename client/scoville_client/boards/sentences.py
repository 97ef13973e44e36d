"""Any game in sentences: the table line by line, and the legal moves to choose from."""

from itertools import islice
from typing import ClassVar

from textual.binding import BindingType

from scoville_client.actions import bindings
from scoville_client.boards.board import Board
from scoville_client.boards.canvas import Canvas
from scoville_client.boards.prose import draw_log, wrap
from scoville_client.changes import Happened
from scoville_client.language import told


class SentencesBoard(Board):
    """Shows `text.table`, the log's end and the moves; left and right go through the moves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding for binding in bindings("play") if binding.action in {"left", "right", "play"}
    ]
    _index = 0

    def happened(self, change: Happened) -> None:  # noqa: ARG002
        """Show the table after the event."""
        self.show(self.at)

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the table above, the log in the middle, the moves beneath."""
        canvas = Canvas(width, height)
        at, y = self.at, 0
        for phrase in at.game.text.table(at.view) if at.view is not None else ():
            for row in wrap(told(phrase, at.names), width - 4):
                canvas.put(2, y, row, "text")
                y += 1
        log = [told(line.phrase, at.names) for line in at.log[-height:]]
        draw_log(canvas, 2, y + 1, width - 4, height - y - 4, log)
        column = 2
        for index, move in enumerate(islice(at.moves(), width)):
            label = f" {told(at.game.text.move(move), at.names)} "
            column = canvas.put(column, height - 2, label, "selected" if index == self._index else "card") + 1
        return canvas

    def action_left(self) -> None:
        """Select the move to the left."""
        self._select(self._index - 1)

    def action_right(self) -> None:
        """Select the move to the right."""
        self._select(self._index + 1)

    def action_play(self) -> None:
        """Post the selected move."""
        moves = self.at.moves()
        if moves:
            self.post_message(self.Play(moves[min(self._index, len(moves) - 1)]))

    def _select(self, index: int) -> None:
        self._index = max(0, min(index, len(self.at.moves()) - 1))
        self.repaint()


BOARD = SentencesBoard
