"""Looking back during a game: the Views that this client has received, and nothing else."""

from bisect import bisect_left
from collections.abc import Sequence

from msgspec.structs import replace

from scoville_client.replays.playback import Tape
from scoville_client.replays.reel import parts_of
from scoville_client.session.changes import EventApplied
from scoville_client.session.table.deal_record import PastView
from scoville_client.session.table.table import AtTable
from scoville_shared.protocol.messages import AnyTableEvent, Played, Started, TableSnapshot


class LookBack(Tape):
    """Steps through the states that this client saw at the table `now`; it begins at the end, which is the present.

    `now` continues; `catch_up` takes over what has happened since.
    """

    def __init__(self, now: AtTable) -> None:
        self._now = now
        self._views: Sequence[PastView] = ()
        self._events: Sequence[AnyTableEvent] = ()
        self.catch_up()
        self.go_to(self.last)

    def catch_up(self) -> None:
        """Take over the events since."""
        # By the event's number: Views of an earlier time may have been dropped, and positions moved with them.
        before = self._views[self.position].seq if self._views else 0
        self._views = tuple(self._now.deal.past)
        self._events = [seen.event for seen in self._now.deal.events]
        self.last = self.moves = len(self._views) - 1
        moves = {event.seq: event for event in self._events if isinstance(event, Played)}
        played = [moves.get(seen.seq) for seen in self._views]
        tags = [{str(fact["fact"]) for fact in move.facts if isinstance(fact, dict)} if move else () for move in played]
        self.kind, self.parts = parts_of(tags, [move.seat for move in played[1:] if move is not None])
        self.position = self._find_position(before)

    def go_to_event(self, seq: int) -> None:
        """Go to the View after an event, or to the next one that this client has."""
        self.go_to(self._find_position(seq))

    def go_to(self, position: int) -> None:
        self.position = max(0, min(position, self.last))
        self.at = AtTable(self._now.game, self._make_snapshot(0))

    def step_forward(self) -> EventApplied | None:
        if self.position == self.last:
            return None
        since, before = self._views[self.position], self.at.view
        self.position += 1
        shown = self._views[self.position]
        self.at.catch_up(self._make_snapshot(since.seq))
        moves = [e for e in self._events if since.seq < e.seq <= shown.seq and isinstance(e, Started | Played)]
        if not moves:
            return EventApplied(self._events[-1], (), None, self.at.view)
        # Only between neighbours, seen from one seat, is the View before what this move has changed.
        known = len(moves) == 1 and shown.seat == since.seat
        return EventApplied(moves[-1], self.at.facts_of(moves[-1]), before if known else None, self.at.view)

    def _find_position(self, seq: int) -> int:
        return min(bisect_left([seen.seq for seen in self._views], seq), self.last)

    def _make_snapshot(self, since: int) -> TableSnapshot:
        """Return the table at this position, with the events after `since`."""
        shown = self._views[self.position]
        events = [event for event in self._events if since < event.seq <= shown.seq]
        last = next((event for event in reversed(events) if isinstance(event, Started | Played)), None)
        return TableSnapshot(
            info=replace(self._now.info, status="playing", paused=False, starts_in_ms=None),
            seq=shown.seq,
            seat=None,
            view=shown.as_plain(),
            pending=[] if last is None else last.pending,
            move_counts=last.move_counts if isinstance(last, Played) else [0] * len(self._now.info.seats),
            events=events,
            point_of_view=shown.seat,
        )
