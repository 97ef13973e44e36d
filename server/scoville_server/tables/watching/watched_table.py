"""A table that connections watch: events, snapshots, polls, presence and the notices about spectators."""

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from operator import is_
from typing import Final, NamedTuple, Protocol

from msgspec.structs import replace

from scoville_outside.guard import GameFailed
from scoville_runtime.clock import Alarm, CallLater
from scoville_server.background.eventual import Eventual
from scoville_server.errors import table_awaits_adoption
from scoville_server.net.peer import Peer
from scoville_server.tables.model.action import Refused
from scoville_server.tables.model.table import Table, table_for_lobby, table_for_spectators
from scoville_server.tables.watching.audience import (
    Sight,
    Watcher,
    audience_of,
    is_spectating,
    key_for_opener,
    sight_of,
    watch_refusal,
)
from scoville_server.tables.watching.project import (
    IsHere,
    code_of,
    describe_table,
    final_notices,
    legal_moves,
    list_time_left,
    look_back,
    ms_until,
    project_change,
    project_snapshot,
    read_move,
)
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import (
    ByeNotice,
    Closed,
    EventNotice,
    LookBackReply,
    MoveSentence,
    Notice,
    PresenceNotice,
    SpectatorsNotice,
    TableInfo,
    TableSnapshot,
)
from scoville_shared.values import Plain


class _Kept(NamedTuple):
    """A table's description for the lobby, with its sources: the visible state, and who was connected."""

    seen: Table
    here: list[bool]
    info: TableInfo


class Watchers:
    """The connections that watch one table."""

    def __init__(self) -> None:
        self._by_peer: dict[Peer, Watcher] = {}
        self._known: tuple[object, ...] = ()
        """The parts of the table that last decided who may watch it and as whom."""
        self._groups: dict[Sight, list[Peer]] = {}
        self._audience: SpectatorsNotice | None = None
        self._watching: int | None = None
        """Groups that see the same, and the spectators; valid while `_known` holds and no watcher comes or goes."""
        self._infos: dict[tuple[bool, bool], _Kept] = {}
        """Descriptions for the lobby, by whether the reader has a seat and may know a private table's code."""

    def add_watcher(self, peer: Peer, watcher: Watcher) -> None:
        """Send all later events to a connection."""
        self._by_peer[peer] = watcher
        self._forget_groups()

    def remove_watcher(self, peer: Peer) -> None:
        self._by_peer.pop(peer, None)
        self._forget_groups()

    def find_watcher(self, peer: Peer) -> Watcher | None:
        return self._by_peer.get(peer)

    @property
    def is_watched(self) -> bool:
        return bool(self._by_peer)

    @property
    def user_ids(self) -> list[UserId]:
        return [watcher.user for watcher in self._by_peer.values()]

    def remove_all(self) -> dict[Peer, Watcher]:
        """Remove all connections, and return them."""
        removed, self._by_peer = self._by_peer, {}
        self._forget_groups()
        return removed

    def publish_change(self, before: Table, after: Table) -> None:
        """Notify the watchers of a change, each with what they may see; one who may no longer watch gets this last.

        Notices are built once per group of watchers that see the same.
        """
        failed: GameFailed | None = None
        for seen, former, peers in [*self._group_watchers(before, after)]:
            try:
                _send_to_peers(project_change(before, after, seen, former), peers)
            except GameFailed as error:  # a View that cannot be built must not keep the others from theirs
                if seen.seat is None:
                    self._dismiss_spectators(before, peers, error)
                else:
                    failed = failed or error
        if failed is not None:
            raise failed

    def _group_watchers(self, before: Table, after: Table) -> Iterator[tuple[Sight, Sight | None, list[Peer]]]:
        """Yield the watchers who see the same of a change, with their sights before and after."""
        if self._is_known(after):
            yield from ((seen, None, peers) for seen, peers in self._groups.items())
            return
        self._regroup_watchers(before, after)
        for seen, peers in self._groups.items():
            by_former: dict[Sight, list[Peer]] = defaultdict(list)
            for peer in peers:
                by_former[sight_of(before, self._by_peer[peer])].append(peer)
            yield from ((seen, former, alike) for former, alike in by_former.items())

    def _dismiss_spectators(self, before: Table, peers: Iterable[Peer], failed: GameFailed) -> None:
        """Send spectators away whose View cannot be built; the players go on without them."""
        _log.error("table %s: spectators dismissed: %s", before.id, failed)
        for peer in [*peers]:
            seen = table_for_watcher(before, self._by_peer[peer])
            end = Closed(seq=seen.seq + 1, reason=f"{failed.message} Spectators cannot be shown it any more.")
            peer.notify(EventNotice(table=before.id, event=end, view=None, left_ms=None))
            self.remove_watcher(peer)

    def _regroup_watchers(self, before: Table, after: Table) -> None:
        """Decide again who may watch the table and what they see; send a last notice to those who may not."""
        for peer, watcher in tuple(self._by_peer.items()):
            if watch_refusal(after, watcher) is not None:
                self.remove_watcher(peer)
                # With their former sight: later events are those that they may no longer know.
                _send_to_peers(final_notices(before, after, sight_of(before, watcher)), (peer,))
        groups: dict[Sight, list[Peer]] = defaultdict(list)
        for peer, watcher in self._by_peer.items():
            groups[sight_of(after, watcher)].append(peer)
        self._known, self._groups, self._audience, self._watching = _parts_that_decide(after), groups, None, None

    def _is_known(self, table: Table) -> bool:
        """Whether the decisions for an earlier state of the table still hold.

        A move changes none of them. Deciding again for each watcher took a fifth of a move's time.
        """
        # By identity: tables are values that share their unchanged parts, and comparing them would cost a walk.
        return bool(self._known) and all(map(is_, self._known, _parts_that_decide(table)))

    def _forget_groups(self) -> None:
        self._known, self._groups, self._audience, self._watching = (), {}, None, None

    def take_snapshot(
        self, table: Table, watcher: Watcher, since: int, is_here: IsHere, now_ms: int | None
    ) -> TableSnapshot:
        """Return a watcher's snapshot; one who sees the game in rounds does not learn who is connected."""
        seen, mine = sight_of(table, watcher), table.seat_of(watcher.user)
        shown_table = table_for_watcher(table, watcher)
        if shown_table is not table:
            is_here, now_ms = _is_always_here, None
        audience = self.name_audience(table)
        return replace(
            project_snapshot(shown_table, since, seen.seat, is_here, now_ms, seen.language, is_own=seen.is_own),
            info=replace(
                describe_table(shown_table, is_here, now_ms, watcher.user),
                code=code_of(table, watcher.user),
                spectator_count=self.count_spectators(table),
            ),
            seat=mine,
            point_of_view=None if seen.seat == mine else seen.seat,
            spectators=audience.spectators,
            commentators=audience.commentators,
            claimed_spectators=audience.claimed_spectators,
            claimed_commentators=audience.claimed_commentators,
            commentary_key=key_for_opener(table.opened, watcher.user) or None,
        )

    def describe_table(
        self, table: Table, is_here: IsHere, now_ms: int | None, reader: UserId | None = None
    ) -> TableInfo:
        """Describe the table as the lobby shows it to `reader`, or to any user for None.

        Readers without a seat see a game that is shown in rounds as its spectators do, and not who is connected. The
        objects are shared between calls until something in them changes.
        """
        seated = reader is not None and table.owned_seat(reader) is not None
        seen = table if seated else table_for_lobby(table)
        # Watchers of rounds must not learn by presence or clocks what happens now.
        if seen is not table:
            is_here, now_ms = _is_always_here, None
        known = reader is not None and table.opened.settings.private and table.admits_user(reader)
        here = [
            is_here(seat_state.user) for seat_state in seen.seats if seat_state.human and seat_state.user is not None
        ]
        kept = self._infos.get((seated, known))
        if (
            kept is None
            or kept.seen is not seen
            or kept.here != here
            or kept.info.spectator_count != self.count_spectators(table)
        ):
            found = replace(describe_table(seen, is_here), spectator_count=self.count_spectators(table))
            if known:
                found = replace(found, code=table.opened.code)
            kept = self._infos[seated, known] = _Kept(seen, here, found)
        starts_in_ms = ms_until(seen.next_start_ms, now_ms)
        return kept.info if starts_in_ms is None else replace(kept.info, starts_in_ms=starts_in_ms)

    def send_to_live_watchers(self, table: Table, notice: Notice) -> None:
        """Send a notice that is no event to all watchers who see the table live."""
        _send_to_peers(
            (notice,), [peer for peer, watcher in self._by_peer.items() if table_for_watcher(table, watcher) is table]
        )

    def send_audience(self, audience: SpectatorsNotice) -> None:
        _send_to_peers((audience,), tuple(self._by_peer))

    def name_audience(self, table: Table) -> SpectatorsNotice:
        """Name the spectators, and all users who have seen hidden cards."""
        if self._audience is None or not self._is_known(table):
            self._audience = audience_of(table, self._list_spectators(table))
        return self._audience

    def count_spectators(self, table: Table) -> int:
        if not self._by_peer:
            return 0
        if self._watching is None or not self._is_known(table):
            self._watching = len(self._list_spectators(table))
        return self._watching

    def _list_spectators(self, table: Table) -> list[Watcher]:
        """List the spectators in the order in which they came; a user with two connections counts once."""
        # A dict keeps the first place of a user and the newest connection.
        once = {watcher.user: watcher for watcher in self._by_peer.values() if is_spectating(table, watcher)}
        return [*once.values()]


def table_for_watcher(table: Table, watcher: Watcher) -> Table:
    """Return the table that a watcher sees: live, or as it was at the end of a round."""
    return table if sight_of(table, watcher).live else table_for_spectators(table)


def _parts_that_decide(table: Table) -> tuple[object, ...]:
    """Return the parts of a table that decide who may watch it and what they see; the rest never matters."""
    return table.seats, table.kicked, table.admitted, table.commentators


def _is_always_here(_: UserId) -> bool:
    return True


def _send_to_peers(notices: Iterable[Notice], peers: Iterable[Peer]) -> None:
    for notice in notices:
        for peer in peers:
            peer.notify(notice)


_log = logging.getLogger(__name__)

AUDIENCE_SECONDS: Final = 0.5
"""Delay of notices about spectators, in seconds: arrivals and departures within it share one notice."""


class _Poll:
    """A request that waits for an event; `over` when it has waited long enough."""

    def __init__(self) -> None:
        self.over = False
        self.woken: Eventual[None] = Eventual()

    def wake_poll(self) -> None:
        # Replaced before it is set: a task that wakes up waits for the next event at once, and not for the old one.
        woken, self.woken = self.woken, Eventual()
        woken.set_result(None)

    def expire_poll(self) -> None:
        self.over = True
        self.wake_poll()


PRESENCE_AT_ONCE: Final = 4
"""Changes of one user that are sent at once: enough for two reconnects."""

PRESENCE_SECONDS: Final = 0.5
"""Seconds for which further changes are batched; a flapping connection causes two notices a second."""

_Report = Callable[[UserId, bool], None]
"""Callback: a user, and whether they are connected."""


class _PresenceFeed:
    """Reports at once that a user connected or disconnected; of very many changes only the latest."""

    def __init__(self, report: _Report, later: CallLater) -> None:
        self._report = report
        self._later = later
        self._changed: dict[UserId, bool] = {}
        self._sent: Counter[UserId] = Counter()
        self._alarm: Alarm | None = None

    def report_change(self, user: UserId, connected: bool) -> None:
        if self._sent[user] < PRESENCE_AT_ONCE:
            self._sent[user] += 1
            self._report(user, connected)
        else:
            self._changed[user] = connected
        if self._alarm is None:
            self._alarm = self._later(PRESENCE_SECONDS, self._report_latest)

    def stop_reports(self) -> None:
        """Stop all reports and drop the callback, for good: it refers to the table, which a cycle would keep."""
        if self._alarm is not None:
            self._alarm.cancel()
        del self._report

    def _report_latest(self) -> None:
        self._alarm = None
        changed, self._changed = self._changed, {}
        if changed:
            self._alarm = self._later(PRESENCE_SECONDS, self._report_latest)
        else:
            # Half a second without a change beyond the allowance, which begins again.
            self._sent.clear()
        for user, connected in changed.items():
            self._report(user, connected)


class WatchedTableOwner(Protocol):
    """The actor of a watched table."""

    def presence_changed(self) -> None:
        """The watchers were notified of a change among the spectators."""

    def game_failed(self, error: GameFailed) -> None:
        """A call of the table's game failed while something was shown of the table."""


class WatchedTable:
    """A table and all its watchers; `owner` is its actor, which changes the table and publishes that.

    While it `awaits_adoption`, nobody begins to watch it: what this node has read of it may be behind what they
    have seen already.
    """

    def __init__(
        self, table: Table, is_here: IsHere, now: Callable[[], int], call_later: CallLater, owner: WatchedTableOwner
    ) -> None:
        self.table = table
        self._is_here = is_here
        self._now = now
        self._later = call_later
        self._owner: WatchedTableOwner | None = owner
        self._watchers = Watchers()
        self._audience = SpectatorsNotice(table=table.id, spectators=[])
        self._audience_alarm: Alarm | None = None
        self._owners: tuple[object, frozenset[UserId | None]] = (None, frozenset())
        self._presence = _PresenceFeed(self._send_presence, call_later)
        self._polls: set[_Poll] = set()
        self._stopped = False
        self.awaits_adoption = False
        self._bye: ByeNotice | None = None
        """The goodbye to watchers who are sent on."""

    def add_watcher(self, peer: Peer, watcher: Watcher, since: int) -> TableSnapshot:
        """Send all later events to `peer`, and return those after `since`, so that none is missed.

        Raises ScovilleError `busy` before the table is adopted.
        """
        self._check_adopted()
        # First added, then the snapshot, in one turn of the loop: no event falls between the two.
        self._watchers.add_watcher(peer, watcher)
        self._check_audience()
        return self.take_snapshot(watcher, since)

    def adopt_watcher(self, peer: Peer, watcher: Watcher, before: Table) -> None:
        """Go on with a watcher who was sent all events of the table as it was `before`. Raises ScovilleError."""
        if (no := watch_refusal(self.table, watcher)) is not None:
            raise no.to_error()
        self._watchers.add_watcher(peer, watcher)
        if before is not self.table:
            with self._reporting_failures():
                now, former = sight_of(self.table, watcher), sight_of(before, watcher)
                _send_to_peers(project_change(before, self.table, now, former), (peer,))
        self._check_audience()

    def remove_watcher(self, peer: Peer) -> None:
        self._watchers.remove_watcher(peer)
        self._check_audience()

    async def wait_for_event(self, watcher: Watcher, since: int, wait_ms: int) -> TableSnapshot:
        """Return a snapshot as soon as there is an event after `since` for this watcher, or after `wait_ms`.

        Raises ScovilleError if the watcher may no longer watch by then, and `busy` before the table is adopted.
        """
        poll = _Poll()
        alarm = self._later(wait_ms / 1000, poll.expire_poll)
        self._polls.add(poll)
        try:
            while table_for_watcher(self.table, watcher).seq <= since and not self._stopped and not poll.over:
                await poll.woken
                # Asked again after each wait: a kick or a new password may have come with the event.
                if (no := watch_refusal(self.table, watcher)) is not None:
                    raise no.to_error()
                if self._bye is not None:
                    raise ScovilleError(self._bye.code, self._bye.message)
        finally:
            self._polls.discard(poll)
            alarm.cancel()
        return self.take_snapshot(watcher, since)

    def take_snapshot(self, watcher: Watcher, since: int) -> TableSnapshot:
        """Return a snapshot of the table for a watcher who knows the events up to `since`.

        Raises GameFailed, and ScovilleError `busy` before the table is adopted.
        """
        self._check_adopted()
        with self._reporting_failures():
            return self._watchers.take_snapshot(self.table, watcher, since, self._is_here, self._now())

    def look_back(self, peer: Peer, since: int) -> LookBackReply | None:
        """Return the Views after event `since` as a connection watches the table; None if it does not."""
        watcher = self._watchers.find_watcher(peer)
        if watcher is None or watch_refusal(self.table, watcher) is not None:
            return None
        with self._reporting_failures():
            return look_back(table_for_watcher(self.table, watcher), since, sight_of(self.table, watcher).seat)

    def list_legal_moves(self, seat: Seat) -> list[Plain]:
        """List the legal moves of a seat. Raises GameFailed."""
        with self._reporting_failures():
            return legal_moves(self.table, seat)

    def read_move(self, seat: Seat, typed: str, language: str) -> MoveSentence | Refused | None:
        """Read a move of a seat in the game's own notation; None if the text is not in it. Raises GameFailed."""
        with self._reporting_failures():
            return read_move(self.table, seat, typed, language)

    def describe_table(self, reader: UserId | None = None) -> TableInfo:
        """Describe the table as the lobby shows it to `reader`, or to any user for None."""
        return self._watchers.describe_table(self.table, self._is_here, self._now(), reader)

    @property
    def has_watchers(self) -> bool:
        """Whether any connection watches the table."""
        return self._watchers.is_watched

    @property
    def spectator_count(self) -> int:
        """The number of users who watch without a seat."""
        return self._watchers.count_spectators(self.table)

    def has_seat(self, user: UserId) -> bool:
        """Whether a user owns a seat; for who goes through all tables it is looked up and not searched for."""
        seats, owners = self._owners
        if seats is not self.table.seats:
            owners = frozenset(seat_state.user for seat_state in self.table.seats)
            self._owners = (self.table.seats, owners)
        return user in owners and self.table.owned_seat(user) is not None

    def describe_for_list(self, user: UserId) -> TableInfo:
        """Describe the table as the list of tables shows it to a user."""
        if not self.has_seat(user):
            return self.describe_table(user if self.table.opened.settings.private else None)
        seat = self.table.owned_seat(user)
        mine = replace(self.describe_table(user), your_seat=seat, your_turn=seat in self.table.pending)
        left = list_time_left(self.table, self._now()) if mine.your_turn and not self.table.paused else None
        return mine if left is None or seat is None else replace(mine, turn_left_ms=left[seat])

    def list_recipients(self) -> list[UserId]:
        """List the recipients of the table's chat: players and watchers, each once."""
        seated = [
            seat_state.user for seat_state in self.table.seats if seat_state.human and seat_state.user is not None
        ]
        return [*dict.fromkeys([*seated, *self._watchers.user_ids])]

    def find_watcher(self, peer: Peer) -> Watcher | None:
        return self._watchers.find_watcher(peer)

    def report_presence(self, user: UserId, connected: bool) -> None:
        """Notify the watchers that a player connected or disconnected."""
        if not self._stopped:
            self._presence.report_change(user, connected)

    def publish_change(self, before: Table, after: Table) -> None:
        """Notify the watchers of a change, and answer the requests that wait for an event."""
        self._watchers.publish_change(before, after)
        self._check_audience()
        self._wake_polls()

    def stop_reporting(self) -> None:
        """Report no more presence, and let no request wait any longer: the table takes no more commands."""
        self._stopped = True

    def send_watchers_on(self, bye: ByeNotice, send_on: Callable[[Peer, Watcher], object] | None = None) -> None:
        """Let all watchers go on at another node by `send_on`; without it, close their connections with `bye`."""
        self.stop_reporting()
        self._bye = bye
        self._wake_polls()
        for peer, watcher in self._watchers.remove_all().items():
            if send_on is None:
                peer.close(bye)
            else:
                send_on(peer, watcher)

    def stop_watching(self) -> None:
        """Answer all waiting requests, and send nothing more."""
        self._wake_polls()
        self._watchers.remove_all()
        self._presence.stop_reports()
        if self._audience_alarm is not None:
            self._audience_alarm.cancel()
        # The owner knows this object, and the cycle would keep the closed table in memory.
        self._owner = None

    def _check_adopted(self) -> None:
        if self.awaits_adoption:
            raise table_awaits_adoption()

    @contextmanager
    def _reporting_failures(self) -> Iterator[None]:
        try:
            yield
        except GameFailed as error:
            # The client is sent no reason.
            _log.error("table %s: %s", self.table.id, error)
            if self._owner is not None:
                self._owner.game_failed(error)
            raise

    def _send_presence(self, user: UserId, connected: bool) -> None:
        if (seat := self.table.seat_of(user)) is not None:
            self._watchers.send_to_live_watchers(
                self.table, PresenceNotice(table=self.table.id, seat=seat, connected=connected)
            )

    def _check_audience(self) -> None:
        if (
            self._audience_alarm is None
            and not self._stopped
            and self._watchers.name_audience(self.table) != self._audience
        ):
            self._audience_alarm = self._later(AUDIENCE_SECONDS, self._send_audience)

    def _send_audience(self) -> None:
        self._audience_alarm = None
        audience = self._watchers.name_audience(self.table)
        if audience != self._audience:
            self._audience = audience
            self._watchers.send_audience(audience)
            if self._owner is not None:
                self._owner.presence_changed()

    def _wake_polls(self) -> None:
        # A copy: a woken poll may remove itself.
        for poll in tuple(self._polls):
            poll.wake_poll()
