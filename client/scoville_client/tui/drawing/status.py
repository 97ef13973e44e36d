"""Table status around the game: clocks, a pause, the point of view of a spectator, and players with their marks."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.language import tr
from scoville_client.session.table.remaining_time import Face, clock_faces
from scoville_client.session.table.table import AtTable
from scoville_client.tui.drawing.canvas import Area, Canvas, fit_text
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.ids import Seat

_LEAST_NAME = 2
"""Cells that the short mark leaves to the name at least."""
_TOLD_NAME = 3
"""Cells of a name that a whole mark leaves, or all of a shorter one: "M… (away)" is nobody."""
_SHORT = "?"
"""The mark in columns that are too narrow for words."""


def put_name(canvas: Canvas, x: int, y: int, width: int, name: str, style: str, mark: str = "") -> None:
    """Write a name into `width` cells, and behind it as much of a mark as fits."""
    if mark and cell_len(mark) + 1 + min(cell_len(name), _TOLD_NAME) > width:
        mark = _SHORT
    if not mark or width < _LEAST_NAME + 2:
        canvas.put(x, y, fit_text(name, width), style)
        return
    behind = canvas.put(x, y, fit_text(name, width - cell_len(mark) - 1).rstrip(), style)
    canvas.put(behind + 1, y, mark, "muted")


def mark_of(marks: Sequence[str], seat: int) -> str:
    """Return the mark of a seat; empty where there are no marks."""
    return marks[seat] if seat < len(marks) else ""


TIME = Phrase("time")
PLACE = "◂"
"""The mark of the seat from which a spectator watches."""
_USUAL = 5
"""Cells of a usual time with its warning sign."""


class BoardStatus(NamedTuple):
    """The status of a table: `times` by seat, empty without clocks, and whether the game is `paused`.

    For spectators: `point_of_view` is the seat whose View they see as a commentator, `viewpoint` the seat that is drawn
    like a player's own, with its cards face down.
    """

    times: Sequence[Face] = ()
    paused: bool = False
    point_of_view: Seat | None = None
    viewpoint: Seat | None = None

    @classmethod
    def of_table(cls, at: AtTable, now: float) -> "BoardStatus":
        """Return the status of a table at the time `now` (seconds, monotonic)."""
        times = clock_faces(at, now)
        watches = at.seat is None
        return cls(
            times,
            at.info.paused,
            at.point_of_view if watches else None,
            at.viewpoint if watches and at.point_of_view is None else None,
        )

    @property
    def place(self) -> Seat | None:
        """The seat from which a spectator watches, if any."""
        return self.viewpoint if self.point_of_view is None else self.point_of_view

    @property
    def room(self) -> int:
        """Cells of a time with a blank before it; 0 without clocks."""
        return 1 + max(_USUAL, *(len(face.text) for face in self.times)) if self.times else 0

    def time_of(self, seat: int) -> Face:
        """Return the time of a seat."""
        return self.times[seat] if self.times else Face()

    def for_viewer(self, happens: Phrase) -> Phrase:
        """Put a spectator's point of view before a sentence."""
        return Phrase("{where} {happens}", {"where": self._where, "happens": happens})

    @property
    def _where(self) -> Phrase:
        if self.point_of_view is not None:
            return Phrase("{who}'s view.", {"who": Who(self.point_of_view)})
        if self.viewpoint is not None:
            return Phrase("At {who}'s seat.", {"who": Who(self.viewpoint)})
        return Phrase("You are watching.")


def mark_seats(at: AtTable) -> list[str]:
    """Return the mark of each seat: disconnected, taken over by a bot, or the spectator's point of view."""
    place = BoardStatus.of_table(at, 0.0).place
    return [f"{PLACE} {mark}".rstrip() if seat == place else mark for seat, mark in enumerate(at.marks)]


def put_time(canvas: Canvas, right: int, y: int, face: Face) -> None:
    """Write a seat's time so that it ends before column `right`."""
    canvas.put_right(right, y, face.text, face.style)


def put_head(canvas: Canvas, area: Area, name: str, style: str, face: Face) -> None:
    """Write a name into the upper edge of a seat's tile, and the seat's time at the end of it."""
    x, y, width, _ = area
    time = f" {face.text} " if face.text else ""
    room = width - 4 - cell_len(time)
    shown = f" {name} "
    canvas.put(x + 2, y, shown if cell_len(shown) <= room else f" {fit_text(name, room - 2)} ", style)
    if time:
        canvas.put_right(x + width - 1, y, time, face.style)


def put_status(canvas: Canvas, x: int, y: int, right: int, text: str, *, paused: bool) -> None:
    """Write a header's status if it ends before `right`; during a pause that comes first."""
    if paused:
        x = canvas.put(x, y, tr("paused"), "caption") + 2
    if x + cell_len(text) < right:
        canvas.put(x, y, text, "muted")
