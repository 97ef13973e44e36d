"""A table that connections watch: events, snapshots, polls, presence and the notices about spectators."""

from collections.abc import Callable

from msgspec.structs import replace

from scoville_runtime.clock import Alarm, Clock
from scoville_server.background.eventual import Eventual
from scoville_server.net.service import Peer
from scoville_server.tables.model.table import Table
from scoville_server.tables.watching.audience import Watcher, sight, watch_refusal
from scoville_server.tables.watching.presence import PresenceFeed
from scoville_server.tables.watching.project import IsHere, look_back
from scoville_server.tables.watching.watchers import Watchers, table_for_watcher
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import LookBackReply, PresenceNotice, SpectatorsNotice, TableInfo, TableSnapshot

AUDIENCE_SECONDS = 0.5
"""Delay of notices about spectators, in seconds: arrivals and departures within it share one notice."""


class _Poll:
    """A request that waits for an event; `over` when it has waited long enough."""

    def __init__(self) -> None:
        self.over = False
        self.woken: Eventual[None] = Eventual()

    def wake(self) -> None:
        # Replaced before it is set: what wakes up waits for the next event at once, and must not find the old one.
        woken, self.woken = self.woken, Eventual()
        woken.set_result(None)

    def expire(self) -> None:
        self.over = True
        self.wake()


class WatchedTable:
    """A table and everybody who watches it. Its actor, the subclass, changes the table and calls `publish`.

    Args:
        table: The table as it is now.
        is_here: Whether a user is connected.
        now: The table's time in milliseconds since 1970.
        clock: Sets timers.
    """

    def __init__(
        self,
        table: Table,
        *,
        is_here: IsHere,
        now: Callable[[], int],
        clock: Clock,
    ) -> None:
        self.table = table
        self.now = now
        self._is_here = is_here
        self._later = clock.call_later
        self._watchers = Watchers()
        self._audience = SpectatorsNotice(table=table.id, spectators=[])
        self._audience_alarm: Alarm | None = None
        self._owners: tuple[object, frozenset[UserId | None]] = (None, frozenset())
        self._presence = PresenceFeed(self._send_presence, clock.call_later)
        self._polls: set[_Poll] = set()
        self._stopped = False

    def watch(self, peer: Peer, watcher: Watcher, since: int) -> TableSnapshot:
        """Send all later events to `peer`, and return those after `since`, so that none is missed."""
        # First added, then the snapshot, in one turn of the loop: no event falls between the two.
        self._watchers.add(peer, watcher)
        self._check_audience()
        return self.snapshot(watcher, since)

    def unwatch(self, peer: Peer) -> None:
        """Stop sending events to `peer`."""
        self._watchers.remove(peer)
        self._check_audience()

    async def poll(self, watcher: Watcher, since: int, wait_ms: int) -> TableSnapshot:
        """Return a snapshot as soon as there is an event after `since` for this watcher, or after `wait_ms`.

        Raises ScovilleError if the watcher may no longer watch by then.
        """
        poll = _Poll()
        alarm = self._later(wait_ms / 1000, poll.expire)
        self._polls.add(poll)
        try:
            while table_for_watcher(self.table, watcher).seq <= since and not self._stopped and not poll.over:
                await poll.woken
                # Asked again after each wait: a kick or a new password may have come with the event.
                if (no := watch_refusal(self.table, watcher)) is not None:
                    raise no.error()
        finally:
            self._polls.discard(poll)
            alarm.cancel()
        return self.snapshot(watcher, since)

    def snapshot(self, watcher: Watcher, since: int) -> TableSnapshot:
        """Return a snapshot of the table for a watcher who knows the events up to `since`."""
        return self._watchers.snapshot(self.table, watcher, since, self._is_here, self.now())

    def look_back(self, peer: Peer, since: int) -> LookBackReply | None:
        """Return the Views after event `since` as a connection watches the table; None if it does not."""
        watcher = self._watchers.at(peer)
        if watcher is None or watch_refusal(self.table, watcher) is not None:
            return None
        return look_back(table_for_watcher(self.table, watcher), since, sight(self.table, watcher).seat)

    def info(self, reader: UserId | None = None) -> TableInfo:
        """Describe the table as the lobby shows it to `reader`, or to any user for None."""
        return self._watchers.info(self.table, self._is_here, self.now(), reader)

    def has_seat(self, user: UserId) -> bool:
        """Whether a user owns a seat; for who goes through all tables it is looked up and not searched for."""
        seats, owners = self._owners
        if seats is not self.table.seats:
            owners = frozenset(seat_state.user for seat_state in self.table.seats)
            self._owners = (self.table.seats, owners)
        return user in owners and self.table.owned_seat(user) is not None

    def listed(self, user: UserId) -> TableInfo:
        """Describe the table as the list of tables shows it to a user."""
        if not self.has_seat(user):
            return self.info(user if self.table.opened.settings.private else None)
        seat = self.table.owned_seat(user)
        return replace(self.info(user), your_seat=seat, your_turn=seat in self.table.pending)

    def recipients(self) -> list[UserId]:
        """List the recipients of the table's chat: players and watchers, each once."""
        seated = [
            seat_state.user for seat_state in self.table.seats if seat_state.human and seat_state.user is not None
        ]
        return [*dict.fromkeys([*seated, *self._watchers.users])]

    def watcher(self, peer: Peer) -> Watcher | None:
        """Return the watcher of a connection, or None."""
        return self._watchers.at(peer)

    def presence(self, user: UserId, connected: bool) -> None:
        """Notify the watchers that a player connected or disconnected."""
        if not self._stopped:
            self._presence.changed(user, connected)

    def _audience_changed(self) -> None:
        """Called when the watchers were notified of a change among the spectators."""
        raise NotImplementedError

    def _publish(self, before: Table, after: Table) -> None:
        """Notify the watchers of a change, and answer the requests that wait for an event."""
        self._watchers.publish(before, after)
        self._check_audience()
        self._wake_polls()

    def _close(self) -> None:
        """Answer all waiting requests, and send nothing more."""
        self._wake_polls()
        self._watchers.clear()
        self._presence.close()
        if self._audience_alarm is not None:
            self._audience_alarm.cancel()

    def _send_presence(self, user: UserId, connected: bool) -> None:
        if (seat := self.table.seat_of(user)) is not None:
            self._watchers.say(self.table, PresenceNotice(table=self.table.id, seat=seat, connected=connected))

    def _check_audience(self) -> None:
        if self._audience_alarm is None and not self._stopped and self._watchers.audience(self.table) != self._audience:
            self._audience_alarm = self._later(AUDIENCE_SECONDS, self._send_audience)

    def _send_audience(self) -> None:
        self._audience_alarm = None
        audience = self._watchers.audience(self.table)
        if audience != self._audience:
            self._audience = audience
            self._watchers.say_audience(audience)
            self._audience_changed()

    def _wake_polls(self) -> None:
        # A copy: a woken poll may remove itself.
        for poll in tuple(self._polls):
            poll.wake()
