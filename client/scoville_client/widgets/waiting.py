"""The waiting room: who sits where, who may start, and how others get here."""

from typing import TYPE_CHECKING

from scoville_client.boards.canvas import Canvas, fitted
from scoville_client.boards.prose import wrap
from scoville_client.language import words
from scoville_client.widgets.painting import Painting

if TYPE_CHECKING:
    from scoville_client.screens.table import TableScreen


class Waiting(Painting):
    """Shows the table of the screen it is on."""

    def __init__(self, table: "TableScreen", address: str) -> None:
        super().__init__()
        self._table = table
        self._address = address

    def draw(self, width: int, height: int) -> Canvas:
        """Draw a row a seat, then what is waited for."""
        canvas = Canvas(width, height)
        at = self._table.at
        x = max(2, (width - 60) // 2)
        canvas.put(x, 1, at.game.info.title, "title")
        canvas.put_right(width - x, 1, words("{n} seats", n=len(at.info.seats)), "muted")
        for number, seat in enumerate(at.info.seats):
            y = 3 + number
            mine = number == at.seat
            canvas.put(x, y, "▸" if mine else " ", "target")
            canvas.put(
                x + 2, y, fitted(seat.name or words("free"), 24), "you" if mine else "text" if seat.name else "faint"
            )
            canvas.put(x + 28, y, words("host") if number == at.info.host else "", "muted")
        y = 4 + len(at.info.seats)
        for sentence in self._sentences():
            for row in wrap(sentence, width - 2 * x):
                canvas.put(x, y, row, "text")
                y += 1
            y += 1
        return canvas

    def _sentences(self) -> list[str]:
        at = self._table.at
        told = [words("Others join with:  scoville join {address}", address=self._address)] if self._address else []
        if at.hosting:
            told.append(words("Press Enter to start. Bots take the seats that are still free."))
        else:
            told.append(words("The host starts the game."))
        return told
