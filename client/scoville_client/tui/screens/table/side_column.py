"""Side column: the log of a table and its chat, beside the board in wide windows; rules where both leave room."""

from collections.abc import Callable, Sequence

from scoville_client.i18n.language import tr
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.frames import count_rows, draw_log
from scoville_client.tui.screens.chat.chat_log import ChatEntry, rows_of_message
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.text_view import Row

_EDGE = 2
"""Columns of the line at the left, and of the blank at the right."""
_LEAST_RULES = 8
"""Rows of rules from which on they are worth reading."""
_STEPS = (6, 3, 2)
"""Parts of the column that the log has while rules are below it, one of so many: each once the one before is full."""


class SideColumn(CanvasWidget):
    """Shows the log, and below it the messages that `chat` returns; None without a chat.

    `log` returns the newest lines, as many as are asked for: a long game has a thousand. The rows that it does not need
    yet tell the rules of the game that `rules` returns. It grows in few steps, or the rules would move with each line.
    """

    def __init__(
        self,
        log: Callable[[int], Sequence[str]],
        chat: Callable[[], Sequence[ChatEntry]] | None,
        rules: Callable[[], str] = str,
    ) -> None:
        super().__init__(classes="log-column")
        self._log = log
        self._chat = chat
        self._rules = rules

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the log above, and the end of the chat below, which gets at most half of the rows."""
        canvas = Canvas(width, height)
        for y in range(height):
            canvas.put(0, y, "│", "faint")
        room = width - _EDGE - 1
        messages = self._message_rows(room, height // 2 - 2)
        beneath = height - len(messages) - 2 if self._chat else height
        canvas.put(_EDGE, 0, tr("Log"), "title")
        # No more lines than there are rows: each has one at least.
        lines, game = self._log(height), self._rules()
        taken = _rows_before_rules(lines, room, beneath) if game else beneath
        below = beneath - taken - 2
        if below >= _LEAST_RULES:
            draw_log(canvas, _EDGE, 1, room, taken - 1, lines)
            from scoville_client.tui.drawing.reading import draw_rules  # late: few windows are as large

            canvas.put(_EDGE, taken, tr("How it is played (r)"), "title")
            draw_rules(canvas, (_EDGE, taken + 1, room, below), game)
        else:
            draw_log(canvas, _EDGE, 1, room, beneath - 1, lines)
        if self._chat:
            canvas.put(_EDGE, beneath, tr("Chat (g)"), "title")
        for y, row in enumerate(messages, beneath + 1):
            x = _EDGE
            for text, style in row:
                x = canvas.put(x, y, text, style)
        return canvas

    def _message_rows(self, width: int, most: int) -> list[Row]:
        entries = self._chat()[-most:] if self._chat else ()
        rows = [row for entry in entries for row in rows_of_message(entry, width)][-most:]
        return rows or ([((tr("There are no messages yet."), "muted"),)] if self._chat else [])


def _rows_before_rules(lines: Sequence[str], width: int, height: int) -> int:
    """Return the rows of the log with its title and a blank row, in a column of `height` rows: all without rules."""
    needed = count_rows(lines, width, height) + 2
    return next((height // part for part in _STEPS if needed <= height // part), height)
