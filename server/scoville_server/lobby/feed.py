"""The lobby's live feed: users who watch the lobby get its changes, at most a few times a second."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import islice

from msgspec.structs import replace

from scoville_runtime.clock import Alarm
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import UserObserver
from scoville_server.net.flushes import FlushQueue
from scoville_server.net.service import Peer
from scoville_server.nodes.serving import Serving
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.model.table import Table
from scoville_server.tables.observers import Change, TableObserver
from scoville_server.tables.registry import TableRegistry
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol.messages import LobbyChangedNotice, LobbySnapshot, TableInfo, UserInfo

MOST_NAMED = 200
"""Most users named at once; the others are counted."""

MOST_SHOWN = 300
"""Most tables shown at once, some 200 KB: the most important ones for the reader first."""

MOST_CHANGED = 100
"""Most changed tables per notice; the others wait for the next one."""


class _Reader:
    """A user who watches the lobby, since their latest snapshot."""

    def __init__(self, user: UserId) -> None:
        self.user = user


class LobbyFeed(TableObserver, UserObserver):
    """Batches changes for `seconds`; what everybody may know is encoded once for all readers."""

    observed = frozenset(
        {
            Change.STATUS,
            Change.SEATS,
            Change.HOST,
            Change.READY,
            Change.COUNTDOWN,
            Change.PAUSE,
            Change.ADMISSION,
            Change.TURN,
        }
    )

    def __init__(
        self,
        registry: TableRegistry,
        admins: Container[User],
        moderators: Container[User],
        flushes: FlushQueue,
        seconds: float,
    ) -> None:
        self._registry = registry
        self._admins, self._moderators = admins, moderators
        self._flushes = flushes
        self._seconds = seconds
        self._watchers: dict[Peer, _Reader] = {}
        self._altered: dict[TableId, TableActor] = {}
        self._turned: dict[TableId, TableActor] = {}
        self._gone: dict[TableId, Table] = {}
        self._shown: dict[TableId, tuple[object, ...]] = {}
        """Tables that are shown in rounds, as users without a seat see them."""
        self._came: dict[str, UserInfo] = {}
        self._went: dict[str, None] = {}
        self._new: set[str] = set()
        """Names of users who connected since the last notice."""
        self._here: dict[UserId, User] = {}
        self._timer: Alarm | None = None
        self._stopped = False

    # --- readers ---------------------------------------------------------------------------------------

    def watch_lobby(self, user: User, peer: Peer) -> LobbySnapshot:
        """Send every later change to a connection, and return the lobby as it is."""
        self._watchers[peer] = _Reader(user.id)
        self._note_rounds()
        tables, more = list_tables(self._registry.tables, user.id)
        return LobbySnapshot(
            tables=tables,
            more=more,
            users=[self._describe_user(somebody) for somebody in islice(self._here.values(), MOST_NAMED)],
            online=len(self._here),
        )

    def go_on_watching(self, user: User, peer: Peer) -> None:
        """Send later changes to a connection that a former process has sent all changes up to its end."""
        self._watchers[peer] = _Reader(user.id)
        self._note_rounds()

    def is_watched_by(self, peer: Peer) -> bool:
        return peer in self._watchers

    def list_names(self) -> list[str]:
        """List the connected users that readers know by name."""
        return [user.name for user in islice(self._here.values(), MOST_NAMED)]

    def announce_missing(self, names: Iterable[str]) -> None:
        """Announce that users have left who were connected to a former process, and to this one are not."""
        here = {user.name for user in self._here.values()}
        for name in names:
            if name not in here:
                self.announce_departure(name)

    def unwatch_lobby(self, peer: Peer) -> None:
        self._watchers.pop(peer, None)

    def connection_released(self, peer: Peer) -> None:
        self.unwatch_lobby(peer)

    def list_readers(self) -> list[UserId]:
        return [reader.user for reader in self._watchers.values()]

    # --- changes ---------------------------------------------------------------------------------------

    def table_opened(self, actor: TableActor) -> None:
        self._gone.pop(actor.table.id, None)
        self.presence_changed(actor)

    def table_changed(self, actor: TableActor, done: Done) -> None:
        """Announce a table that looks different now; only its players see whose turn it is."""
        if not self._watchers:
            return
        if _listed_parts(done.before) != _listed_parts(done.after):
            self.presence_changed(actor)
        elif done.before.pending != done.after.pending:
            self._turned[actor.table.id] = actor
            self._publish_soon()

    def table_removed(self, actor: TableActor) -> None:
        self._altered.pop(actor.table.id, None)
        self._turned.pop(actor.table.id, None)
        self._shown.pop(actor.table.id, None)
        self._gone[actor.table.id] = actor.table
        self._publish_soon()

    def presence_changed(self, actor: TableActor) -> None:
        if actor.table.id in self._registry.tables:
            self._altered[actor.table.id] = actor
            self._publish_soon()

    def user_connected(self, user: User) -> None:
        """Announce a user who connected or has a new name."""
        info = self._describe_user(user)
        # Who comes back before their departure was announced is not new: readers still have the name.
        if user.id not in self._here and info.name not in self._went:
            self._new.add(info.name)
        self._here[user.id] = user
        self._went.pop(info.name, None)
        self._came[info.name] = info
        self._publish_soon()

    def user_disconnected(self, user: User) -> None:
        self._here.pop(user.id, None)
        self.announce_departure(user.name)

    def announce_departure(self, name: str) -> None:
        """Announce that a name is no longer in use; `user_connected` announces the new one."""
        self._came.pop(name, None)
        if name in self._new and len(self._went) >= MOST_NAMED:
            # Connections that come and go in a flood were never announced.
            return
        self._went[name] = None
        self._publish_soon()

    def _describe_user(self, user: User) -> UserInfo:
        return UserInfo(
            name=user.name,
            claimed=user.claimed,
            admin=user in self._admins,
            moderator=user in self._moderators,
        )

    # --- notices ---------------------------------------------------------------------------------------

    def stop_notices(self) -> None:
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()

    def send_last_notices(self) -> None:
        """Send the changes of which no notice was sent before the end."""
        while self._watchers and any((self._altered, self._turned, self._gone, self._came, self._went)):
            # First: while crowds wait to be written nothing is published, and this would never end.
            self._flushes.flush_all()
            self._publish_changes()

    def _publish_soon(self) -> None:
        """Schedule a notice, so that changes are batched; without readers there is none."""
        if not self._watchers:
            self._clear_changes()
        elif self._timer is None and not self._stopped:
            self._timer = self._registry.clock.call_later(self._seconds, self._publish_changes)

    def _publish_changes(self) -> None:
        self._timer = None
        # As many readers as this are sent fewer notices.
        if self._flushes.has_crowds:
            self._publish_soon()
            return
        altered = [self._altered.pop(table) for table in tuple(islice(self._altered, MOST_CHANGED))]
        changed = [actor for actor in altered if self._looks_new(actor)]
        common, special = (
            self._build_common_notice(changed),
            self._build_special_notices(changed, [*self._turned.values(), *altered]),
        )
        self._send_notices(common, special)
        # What had no room in this notice goes into the next one.
        altered_later, went_later = {**self._altered}, [*self._went][MOST_NAMED:]
        self._clear_changes()
        if altered_later or went_later:
            self._altered.update(altered_later)
            self._went.update(dict.fromkeys(went_later))
            self._publish_soon()

    def _send_notices(self, common: LobbyChangedNotice, special: Mapping[UserId, LobbyChangedNotice]) -> None:
        """Send the common notice to all readers, merged with their own; not to those who have had a later snapshot."""
        nothing = LobbyChangedNotice(online=common.online)
        has_news = common != nothing

        def send(watching: tuple[Peer, _Reader]) -> None:
            peer, reader = watching
            own = special.get(reader.user)
            if self._watchers.get(peer) is reader and (has_news or own is not None):
                peer.notify(common if own is None else _merge_notices(common, own))

        self._flushes.spread_notices(tuple(self._watchers.items()), send)

    def _build_common_notice(self, altered: Iterable[TableActor]) -> LobbyChangedNotice:
        return LobbyChangedNotice(
            tables=[actor.watched.describe_table() for actor in altered if not _is_private(actor.table)],
            removed=[table.id for table in self._gone.values() if not _is_private(table)],
            arrived=[*islice(self._came.values(), MOST_NAMED)],
            departed=[*islice(self._went, MOST_NAMED)],
            online=len(self._here),
        )

    def _note_rounds(self) -> None:
        """Note how the tables that are shown in rounds look to a user who starts to watch the lobby."""
        for actor in self._registry.tables.all_tables():
            if actor.table.rounds and actor.table.id not in self._shown:
                self._shown[actor.table.id] = _seen_from_outside(actor)

    def _looks_new(self, actor: TableActor) -> bool:
        """Whether a table looks different to users without a seat.

        For a game shown in rounds, a notice without anything new would reveal by its arrival that something happened.
        """
        table, now = actor.table, _seen_from_outside(actor)
        before = self._shown.pop(table.id, None)
        if table.rounds:
            self._shown[table.id] = now
        return not table.rounds or now != before

    def _build_special_notices(
        self, altered: Sequence[TableActor], own: Iterable[TableActor]
    ) -> dict[UserId, LobbyChangedNotice]:
        """Build notices for users who see some tables differently: `own` ones, and private ones `altered` for all."""
        watching = {reader.user for reader in self._watchers.values()}
        special: dict[UserId, LobbyChangedNotice] = defaultdict(LobbyChangedNotice)
        changed = {actor.table.id for actor in altered}
        for actor in {actor.table.id: actor for actor in (*altered, *own)}.values():
            for reader in watching & (_users_with_own_view if actor.table.id in changed else _seated_users)(
                actor.table
            ):
                if actor.table.admits_user(reader) or not _is_private(actor.table):
                    special[reader].tables.append(actor.watched.describe_for_list(reader))
                else:
                    special[reader].removed.append(actor.table.id)
        for table in self._gone.values():
            if _is_private(table):
                for reader in watching & _users_with_own_view(table):
                    special[reader].removed.append(table.id)
        return special

    def _clear_changes(self) -> None:
        for gathered in (self._altered, self._turned, self._gone, self._came, self._went, self._new):
            gathered.clear()


def list_tables(lobby: Serving[TableActor], reader: UserId) -> tuple[list[TableInfo], int]:
    """List the tables that a user may know of, oldest first, and count the ones that are not shown."""
    known = [actor for actor in lobby.all_tables() if not _is_private(actor.table) or actor.table.admits_user(reader)]
    shown = _choose_tables(known, reader)
    return [actor.watched.describe_for_list(reader) for actor in shown], len(known) - len(shown)


def _choose_tables(actors: Sequence[TableActor], reader: UserId) -> Sequence[TableActor]:
    """Choose the tables to show, oldest first: the reader's, then waiting ones, then the newest."""
    if len(actors) <= MOST_SHOWN:
        return actors
    own: list[int] = []
    waiting: list[int] = []
    others: list[int] = []
    for place, actor in enumerate(actors):
        fitting = own if actor.watched.has_seat(reader) else waiting if actor.table.status == "waiting" else others
        fitting.append(place)
    chosen = [*reversed(own), *reversed(waiting), *reversed(others)][:MOST_SHOWN]
    return [actors[place] for place in sorted(chosen)]


def _is_private(table: Table) -> bool:
    return table.opened.settings.private


def _users_with_own_view(table: Table) -> set[UserId]:
    """List the users who see a table differently: its players, and those who may or might enter a private one."""
    sitting = _seated_users(table)
    if not _is_private(table):
        return sitting
    return sitting | {*table.admitted, *table.kicked, *table.former_members, table.opened.user}


def _seated_users(table: Table) -> set[UserId]:
    return {seat_state.user for seat_state in table.seats if seat_state.user is not None}


def _seen_from_outside(actor: TableActor) -> tuple[object, ...]:
    """Collect what users without a seat see of a table, and of a private one who may see it."""
    table = actor.table
    return (actor.watched.describe_table(), *((table.admitted, table.kicked) if _is_private(table) else ()))


def _listed_parts(table: Table) -> tuple[object, ...]:
    """Collect what the lobby shows of a table."""
    seats = (table.seats, table.host, table.ready, table.admitted, table.kicked)
    return (table.status, table.paused, table.countdown, *seats)


def _merge_notices(common: LobbyChangedNotice, own: LobbyChangedNotice) -> LobbyChangedNotice:
    mine = {info.table for info in own.tables}
    others: Iterable[TableInfo] = (info for info in common.tables if info.table not in mine)
    return replace(common, tables=[*others, *own.tables], removed=[*common.removed, *own.removed])
