"""Audience of a table: its spectators and commentators, and from whose seat this client watches."""

from collections.abc import Callable

from scoville_client.session.table.state import TableState
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import SpectatorsNotice, TableSnapshot


class TableAudience(TableState):
    """A table with those who watch it, this user perhaps among them.

    Attributes:
        viewpoint: The seat that a spectator's board shows as its own, with its cards face down.
        key: Commentators' key, with which `point_of_view` is the seat whose View this is.
        openers_key: That key, where this user has opened the table.
        spectators: Names of the spectators.
        commentators: Names of all who have seen a hand with the commentators' key, also of those who left.
        claimed_audience: Those of these names that were claimed when their users came.
    """

    def __init__(self, snapshot: TableSnapshot, now: Callable[[], float]) -> None:
        super().__init__(snapshot, now)
        self.key = ""
        self.openers_key = snapshot.commentary_key or ""
        self.viewpoint: Seat | None = None
        self.point_of_view: Seat | None = None
        self.set_audience(snapshot)

    def perspective(self, point_of_view: int | None) -> Seat | None:
        """The seat whose Views this client receives: its own, or a commentator's."""
        return self.seat if point_of_view is None else Seat(point_of_view)

    def next_point_of_view(self) -> Seat | None:
        """The next point of view: a seat, whose hand is visible with a commentator's key.

        Without a key there is also a point of view of no seat (None).
        """
        neutral: list[Seat | None] = [] if self.key else [None]
        order = [*neutral, *map(Seat, range(len(self.info.seats)))]
        now = self.point_of_view if self.key else self.viewpoint
        return order[(order.index(now) + 1) % len(order)] if now in order else order[0]

    def set_audience(self, audience: TableSnapshot | SpectatorsNotice) -> None:
        """Set who watches, and who owns their name. A name that a guest has had too is not marked."""
        self.spectators, self.commentators = audience.spectators, audience.commentators
        lists = (
            (audience.spectators, {*audience.claimed_spectators}),
            (audience.commentators, {*audience.claimed_commentators}),
        )
        each = [(name, place in claimed) for names, claimed in lists for place, name in enumerate(names)]
        self.claimed_audience = {name for name, _ in each} - {name for name, claimed in each if not claimed}
