"""What is around the game at a table: everybody's time, a pause, and from where one looks who only watches."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.language import words
from scoville_client.session.table.remaining_time import Face, faces
from scoville_client.session.table.table import AtTable
from scoville_client.tui.drawing.canvas import Canvas
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.ids import Seat

TIME = Phrase("time")
PLACE = "◂"
"""Stands behind the name of the seat from whose place one watches."""
_USUAL = 5
"""Cells of a time as it usually is, the sign that little is left included."""


class Around(NamedTuple):
    """`times` by seat, empty without clocks; `paused` while nobody can play.

    Of somebody who only watches: `point_of_view` is whose View they see, `viewpoint` whose place is drawn as one's own
    is, with its cards face down.
    """

    times: Sequence[Face] = ()
    paused: bool = False
    point_of_view: Seat | None = None
    viewpoint: Seat | None = None

    @classmethod
    def of(cls, at: AtTable, now: float) -> "Around":
        """See what is around the game at a table at `now` (monotonic)."""
        times = faces(at, now)
        watches = at.seat is None
        return cls(
            times,
            at.info.paused,
            at.point_of_view if watches else None,
            at.viewpoint if watches and at.point_of_view is None else None,
        )

    @property
    def place(self) -> Seat | None:
        """From whose place a watcher looks, if from anybody's."""
        return self.viewpoint if self.point_of_view is None else self.point_of_view

    @property
    def room(self) -> int:
        """How many cells a time takes, and a blank before it; none without clocks."""
        return 1 + max(_USUAL, *(len(face.text) for face in self.times)) if self.times else 0

    def time(self, seat: int) -> Face:
        """Find a seat's time."""
        return self.times[seat] if self.times else Face()

    def seen(self, happens: Phrase) -> Phrase:
        """Say what happens to somebody who watches: from where they look, then that."""
        return Phrase("{where} {happens}", {"where": self._where, "happens": happens})

    @property
    def _where(self) -> Phrase:
        if self.point_of_view is not None:
            return Phrase("Through {who}'s eyes.", {"who": Who(self.point_of_view)})
        if self.viewpoint is not None:
            return Phrase("At {who}'s place.", {"who": Who(self.viewpoint)})
        return Phrase("You are watching.")


def marks(at: AtTable) -> list[str]:
    """Give each seat's mark: who is away, for whom a bot plays; at the place from which one watches a sign besides."""
    place = Around.of(at, 0.0).place
    return [f"{PLACE} {mark}".rstrip() if seat == place else mark for seat, mark in enumerate(at.marks)]


def put_time(canvas: Canvas, right: int, y: int, face: Face) -> None:
    """Write a seat's time so that it ends before column `right`."""
    canvas.put_right(right, y, face.text, face.style)


def put_status(canvas: Canvas, x: int, y: int, right: int, text: str, *, paused: bool) -> None:
    """Write a header's status if it ends before `right`; during a pause that comes first."""
    if paused:
        x = canvas.put(x, y, words("paused"), "caption") + 2
    if x + cell_len(text) < right:
        canvas.put(x, y, text, "muted")
