"""The waiting room: who sits where, who may start, and how others get here."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scoville_client.boards.canvas import Canvas, fitted
from scoville_client.boards.prose import wrap
from scoville_client.clocks import waiting_terms
from scoville_client.language import words
from scoville_client.widgets.painting import Painting

if TYPE_CHECKING:
    from scoville_client.hosting import Running
    from scoville_client.screens.table import TableScreen


class Waiting(Painting):
    """Shows the table of the screen it is on; `hosted` is what runs for it here."""

    def __init__(self, table: "TableScreen", hosted: "Running | None") -> None:
        super().__init__()
        self._table = table
        self._hosted = hosted

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
                x + 2, y, fitted(seat.name or words("open"), 24), "you" if mine else "text" if seat.name else "faint"
            )
            canvas.put(x + 28, y, self._note(number), "muted")
        first = 4 + len(at.info.seats)
        for y, row in enumerate(self._spread(width - 2 * x, height - first), first):
            canvas.put(x, y, row, "text")
        return canvas

    def _spread(self, width: int, height: int) -> list[str]:
        """Write the sentences, with room between them where there is enough."""
        told = [wrap(sentence, width) for sentence in self._sentences()]
        apart = [row for rows in told for row in (*rows, "")]
        return apart if len(apart) <= height + 1 else [row for rows in told for row in rows]

    def _note(self, number: int) -> str:
        info = self._table.at.info
        if info.seats[number].kind == "human" and not info.seats[number].connected:
            return words("away")
        return words("host") if number == info.host else ""

    def _sentences(self) -> list[str]:
        return [*self._invitation(), self._awaited(), *waiting_terms(self._table.at.info.clock), *self._kept()]

    def _invitation(self) -> Iterator[str]:
        if self._hosted is not None and self._hosted.address is not None:
            yield words("Others join with:  scoville join {address}", address=self._hosted.address.short)

    def _kept(self) -> Iterator[str]:
        if self._hosted is not None and self._hosted.folder is not None:
            yield words("This table is kept in {folder}.", folder=str(self._hosted.folder))

    def _awaited(self) -> str:
        """Say what is waited for, and what one can do about it."""
        at = self._table.at
        free = sum(seat.kind == "open" for seat in at.info.seats)
        if at.hosting and free:
            return words("Press Enter to start. Bots take the seats that are still free.")
        if at.hosting:
            return words("All seats are taken. Press Enter to start.")
        if at.info.host is None:
            return words("Nobody sits here yet. Who sits down first starts the game.")
        host = at.names[at.info.host]
        if at.seat is None:
            return words("You look on. {host} is the host and starts the game.", host=host)
        return words("{host} is the host and starts the game; bots take the seats that are still free.", host=host)
