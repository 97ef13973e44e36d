"""The lobby's live feed: users who watch the lobby get its changes, at most a few times a second.

Its changes are tables, and the users who connect and disconnect.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import islice

from msgspec.structs import replace

from scoville_runtime.clock import Alarm
from scoville_server.accounts.sessions import Sessions, User
from scoville_server.accounts.users import UserObserver
from scoville_server.lobby.digests import LISTED, FarTables, TableLine, seated_users, users_of, users_with_own_view
from scoville_server.net.flushes import FlushQueue
from scoville_server.net.peer import Peer
from scoville_server.nodes.nodes import Nodes
from scoville_server.nodes.serving import Serving
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.model.table import Table
from scoville_server.tables.observers import TableObserver
from scoville_server.tables.registry import TableRegistry
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol.messages import LobbyChangedNotice, LobbySnapshot, TableInfo, UserInfo

MOST_SHOWN = 300
"""Most tables shown at once, some 200 KB: the most important ones for the reader first."""

MOST_CHANGED = 100
"""Most changed tables per notice; the others wait for the next one."""


# --- connected users --------------------------------------------------------------------------------

MOST_NAMED = 200
"""Most users named at once; the others are counted."""


class OnlineUsers:
    """The users connected to any node, and those who came or left since the last notice to readers.

    Args:
        sessions: The users whom this node knows.
        admins: The admins.
        moderators: The moderators.
    """

    def __init__(self, sessions: Sessions, admins: Container[User], moderators: Container[User]) -> None:
        self._sessions = sessions
        self._admins, self._moderators = admins, moderators
        self._here: dict[UserId, User] = {}
        self._elsewhere: dict[UserId, str] = {}
        """The names of all users of other nodes; a connection that is taken over by another node is at both."""
        self._far: dict[UserId, str] = {}
        """Those of them who are not connected to this one."""
        self._came: dict[str, UserId] = {}
        self._went: dict[str, None] = {}
        self._new: set[str] = set()
        """Names of users who connected since the last notice."""

    @property
    def count(self) -> int:
        """How many users are connected."""
        return len(self._here) + len(self._far)

    # --- who comes and goes ----------------------------------------------------------------------------

    def note_connected(self, user: User) -> None:
        """Note a user who has connected to this node, or has a new name."""
        known, name = self._far.pop(user.id, None), user.name
        if known not in (None, name):
            self.note_departure(known or "")
        # A user who comes back before the departure was announced is not new: readers still have the name.
        if user.id not in self._here and known is None and name not in self._went:
            self._new.add(name)
        self._here[user.id] = user
        self._went.pop(name, None)
        self._came[name] = user.id

    def note_disconnected(self, user: User) -> None:
        """Note a user who has disconnected from this node, perhaps since they are connected to another one."""
        self._here.pop(user.id, None)
        name = self._elsewhere.get(user.id)
        if name != user.name:
            self.note_departure(user.name)
        if name is not None:
            self._note_far(user.id, name)

    def note_elsewhere(self, user: UserId, name: str) -> None:
        """Note under which name a user is connected to another node; empty if they are not any more."""
        if name:
            self._elsewhere[user] = name
        else:
            self._elsewhere.pop(user, None)
        known = self._far.get(user, "")
        if user in self._here or name == known:
            return
        if known:
            del self._far[user]
            self.note_departure(known)
        if name:
            self._note_far(user, name)

    def _note_far(self, user: UserId, name: str) -> None:
        self._far[user] = name
        self._went.pop(name, None)
        self._came[name] = user

    def note_departure(self, name: str) -> None:
        """Note that a name is no longer in use; `note_connected` announces the new one."""
        self._came.pop(name, None)
        if name in self._new and len(self._went) >= MOST_NAMED:
            # In a flood, users who came and left between two notices were never announced.
            return
        self._went[name] = None

    # --- what readers hear -----------------------------------------------------------------------------

    def list_users(self) -> list[UserInfo]:
        """List the users who are named, those of this node first."""
        here = [self._describe_user(user, self._here[user].name) for user in islice(self._here, MOST_NAMED)]
        return [*here, *(self._describe_user(*far) for far in islice(self._far.items(), MOST_NAMED - len(here)))]

    def list_names_here(self) -> list[str]:
        """List the users of this node whom readers know by name."""
        return [user.name for user in islice(self._here.values(), MOST_NAMED)]

    def note_missing(self, names: Iterable[str]) -> None:
        """Note that users have left who were connected to a former process, and to this one are not."""
        known = {*(user.name for user in self._here.values()), *self._far.values()}
        for name in names:
            if name not in known:
                self.note_departure(name)

    @property
    def has_changes(self) -> bool:
        """Whether users have come or gone."""
        return bool(self._came or self._went)

    def take_changes(self) -> tuple[list[UserInfo], list[str]]:
        """Return the users who have come and the names of those who have left; the rest follows at the next call."""
        came = [self._describe_user(user, name) for name, user in islice(self._came.items(), MOST_NAMED)]
        went = [*islice(self._went, MOST_NAMED)]
        for name in went:
            del self._went[name]
        self._came.clear()
        self._new.clear()
        return came, went

    def forget_changes(self) -> None:
        """Forget arrivals and departures: the lobby has no readers."""
        self._came.clear()
        self._went.clear()
        self._new.clear()

    def _describe_user(self, user: UserId, name: str) -> UserInfo:
        """Describe a user; one of another node may not be known here: a guest, or one whose row comes later."""
        found = self._here.get(user) or self._sessions.find_user(user)
        if found is None:
            return UserInfo(name=name)
        claimed, admin, moderator = found.claimed, found in self._admins, found in self._moderators
        return UserInfo(name=name, claimed=claimed, admin=admin, moderator=moderator)


# --- the feed ---------------------------------------------------------------------------------------


class _Reader:
    """A user who watches the lobby, since their latest snapshot."""

    def __init__(self, user: UserId) -> None:
        self.user = user


class LobbyFeed(TableObserver, UserObserver):
    """Batches changes for `seconds`; what everybody may know is encoded once for all readers."""

    observed = LISTED

    def __init__(
        self,
        registry: TableRegistry,
        far: FarTables,
        users: OnlineUsers,
        flushes: FlushQueue,
        seconds: float,
    ) -> None:
        self._registry, self.far, self.users = registry, far, users
        self._flushes = flushes
        self._seconds = seconds
        self._watchers: dict[Peer, _Reader] = {}
        self._altered: dict[TableId, TableActor] = {}
        self._turned: dict[TableId, TableActor] = {}
        self._gone: dict[TableId, Table] = {}
        self._shown: dict[TableId, tuple[object, ...]] = {}
        """Tables that are shown in rounds, as users without a seat see them."""
        self._entrants: dict[str, tuple[int, frozenset[UserId] | None]] = {}
        """By the id of a tournament, how many take part, and the users who may know of it: all of them, if None."""
        self._timer: Alarm | None = None
        self._stopped = False
        far.on_change = self._follow_far

    # --- readers ---------------------------------------------------------------------------------------

    def watch_lobby(self, user: User, peer: Peer) -> LobbySnapshot:
        """Send every later change to a connection, and return the lobby as it is."""
        self._watchers[peer] = _Reader(user.id)
        self._note_rounds()
        tables, more = list_tables(self._registry.tables, self.far, user.id)
        return LobbySnapshot(
            tables=tables,
            more=more,
            users=self.users.list_users(),
            online=self.users.count,
        )

    def go_on_watching(self, user: User, peer: Peer) -> None:
        """Send later changes to a connection that a former process has sent all changes up to its end."""
        self._watchers[peer] = _Reader(user.id)
        self._note_rounds()

    def is_watched_by(self, peer: Peer) -> bool:
        return peer in self._watchers

    def announce_missing(self, names: Iterable[str]) -> None:
        """Announce that users have left who were connected to a former process, and to this one are not."""
        self.users.note_missing(names)
        self._publish_soon()

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

    def table_moved(self, actor: TableActor) -> None:
        """Show the table as its new owner shows it."""
        gone = {**self._gone}
        self.table_removed(actor)
        if self.far.show_again(actor.table.id):
            self._gone = gone

    def presence_changed(self, actor: TableActor) -> None:
        if actor.table.id in self._registry.tables:
            self._altered[actor.table.id] = actor
            self._publish_soon()

    def user_connected(self, user: User) -> None:
        """Announce a user who connected or has a new name."""
        self.users.note_connected(user)
        self._publish_soon()

    def user_disconnected(self, user: User) -> None:
        self.users.note_disconnected(user)
        self._publish_soon()

    def entrants_changed(self, tournament: str, count: int, readers: frozenset[UserId] | None) -> None:
        """Announce how many take part in a tournament, to its `readers` or to all."""
        self._entrants[tournament] = (count, readers)
        self._publish_soon()

    def user_elsewhere(self, user: UserId, name: str) -> None:
        """Announce a user who has connected to another node under a name, or has left it, where that is empty."""
        self.users.note_elsewhere(user, name)
        self._publish_soon()

    # --- notices ---------------------------------------------------------------------------------------

    def stop_notices(self) -> None:
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()

    def send_last_notices(self) -> None:
        """Send the changes that no notice has announced before the end."""
        while self._watchers and any(
            (self._altered, self._turned, self._gone, self._entrants, self.users.has_changes, self.far.has_changes)
        ):
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
        self._add_far_changes(common, special)
        self._add_entrants(common, special)
        self._send_notices(common, special)
        # Changes without room in this notice go into the next one.
        altered_later = {**self._altered}
        self._clear_tables()
        if altered_later or self.users.has_changes or self.far.has_changes:
            self._altered.update(altered_later)
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
        arrived, departed = self.users.take_changes()
        return LobbyChangedNotice(
            tables=[actor.watched.describe_table() for actor in altered if not _is_private(actor.table)],
            removed=[table.id for table in self._gone.values() if not _is_private(table)],
            arrived=arrived,
            departed=departed,
            online=self.users.count,
        )

    def _note_rounds(self) -> None:
        """Note how the tables that are shown in rounds look to a user who starts to watch the lobby."""
        for actor in self._registry.tables.all_tables():
            if actor.table.rounds and actor.table.id not in self._shown:
                self._shown[actor.table.id] = _seen_from_outside(actor)
        self.far.note_shown()

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
            for reader in watching & (users_with_own_view if actor.table.id in changed else seated_users)(actor.table):
                if actor.table.admits_user(reader) or not _is_private(actor.table):
                    special[reader].tables.append(actor.watched.describe_for_list(reader))
                else:
                    special[reader].removed.append(actor.table.id)
        for table in self._gone.values():
            if _is_private(table):
                for reader in watching & users_with_own_view(table):
                    special[reader].removed.append(table.id)
        return special

    def _add_far_changes(self, common: LobbyChangedNotice, special: dict[UserId, LobbyChangedNotice]) -> None:
        """Add changes at tables of other nodes."""
        altered, gone = self.far.take_changes(MOST_CHANGED)
        if not altered and not gone:
            return
        moved = {line.info.table for line in altered}
        common.removed[:] = [table for table in common.removed if table not in moved]
        common.tables.extend(line.info for line in altered if not line.private and self.far.looks_new(line))
        common.removed.extend(line.info.table for line in gone if not line.private)
        watching = {reader.user for reader in self._watchers.values()}
        for line in altered:
            for reader in watching.intersection(users_of(line)):
                if line.is_shown_to(reader):
                    special[reader].tables.append(line.describe_for(reader))
                else:
                    special[reader].removed.append(line.info.table)
        for line in gone:
            if line.private:
                for reader in watching.intersection(line.readers):
                    special[reader].removed.append(line.info.table)

    def _add_entrants(self, common: LobbyChangedNotice, special: dict[UserId, LobbyChangedNotice]) -> None:
        """Add how many take part in tournaments."""
        watching = {reader.user for reader in self._watchers.values()}
        for tournament, (count, readers) in self._entrants.items():
            notices = [common] if readers is None else [special[reader] for reader in watching & readers]
            for notice in notices:
                notice.entrant_counts[tournament] = count
        self._entrants.clear()

    def _follow_far(self) -> None:
        if not self._watchers:
            self.far.forget_changes()
        self._publish_soon()

    def _clear_changes(self) -> None:
        self._clear_tables()
        self._entrants.clear()
        self.users.forget_changes()

    def _clear_tables(self) -> None:
        for gathered in (self._altered, self._turned, self._gone):
            gathered.clear()


def make_feed(
    nodes: Nodes[TableActor],
    registry: TableRegistry,
    sessions: Sessions,
    admins: Container[User],
    moderators: Container[User],
    flushes: FlushQueue,
    seconds: float,
) -> LobbyFeed:
    """Make the feed of the tables of all nodes."""
    far = FarTables(nodes.lines, nodes.members, nodes.tables.__contains__, registry.clock)
    registry.count_elsewhere, sessions.seats.list_elsewhere = far.count_opened, far.list_seats
    return LobbyFeed(registry, far, OnlineUsers(sessions, admins, moderators), flushes, seconds)


def list_tables(lobby: Serving[TableActor], far: FarTables, reader: UserId) -> tuple[list[TableInfo], int]:
    """List the tables that a user may know of, oldest first, and count those that are not shown."""
    known: list[TableActor | TableLine] = [
        actor for actor in lobby.all_tables() if not _is_private(actor.table) or actor.table.admits_user(reader)
    ]
    elsewhere = far.list_shown(reader)
    if elsewhere:
        known = sorted([*known, *elsewhere], key=_opened_ms)
    shown = _choose_tables(known, reader)
    return [describe_for_list(each, reader) for each in shown], len(known) - len(shown)


def _choose_tables(tables: Sequence[TableActor | TableLine], reader: UserId) -> Sequence[TableActor | TableLine]:
    """Choose the tables to show, oldest first: the reader's, then waiting ones, then the newest."""
    if len(tables) <= MOST_SHOWN:
        return tables
    own: list[int] = []
    waiting: list[int] = []
    others: list[int] = []
    for place, table in enumerate(tables):
        fitting = own if _has_seat(table, reader) else waiting if _is_waiting(table) else others
        fitting.append(place)
    chosen = [*reversed(own), *reversed(waiting), *reversed(others)][:MOST_SHOWN]
    return [tables[place] for place in sorted(chosen)]


def _opened_ms(table: TableActor | TableLine) -> int:
    return table.opened_ms if isinstance(table, TableLine) else table.table.opened.at_ms


def describe_for_list(table: TableActor | TableLine, reader: UserId) -> TableInfo:
    """Describe a table of any node as lists show it to a user who may know of it."""
    return table.describe_for(reader) if isinstance(table, TableLine) else table.watched.describe_for_list(reader)


def _has_seat(table: TableActor | TableLine, reader: UserId) -> bool:
    return reader in table.seats if isinstance(table, TableLine) else table.watched.has_seat(reader)


def _is_waiting(table: TableActor | TableLine) -> bool:
    return status_of(table) == "waiting"


def status_of(table: TableActor | TableLine) -> str:
    """Return the status of a table of any node."""
    return table.info.status if isinstance(table, TableLine) else table.table.status


def _is_private(table: Table) -> bool:
    return table.opened.settings.private


def _seen_from_outside(actor: TableActor) -> tuple[object, ...]:
    """Collect what users without a seat see of a table, and of a private one who may see it."""
    table = actor.table
    return (actor.watched.describe_table(), *((table.admitted, table.kicked) if _is_private(table) else ()))


def _listed_parts(table: Table) -> tuple[object, ...]:
    """Collect the parts of a table that the lobby shows."""
    seats = (table.seats, table.host, table.ready, table.admitted, table.kicked)
    return (table.status, table.paused, table.countdown, *seats)


def _merge_notices(common: LobbyChangedNotice, own: LobbyChangedNotice) -> LobbyChangedNotice:
    mine = {info.table for info in own.tables}
    others: Iterable[TableInfo] = (info for info in common.tables if info.table not in mine)
    return replace(
        common,
        tables=[*others, *own.tables],
        removed=[*common.removed, *own.removed],
        entrant_counts={**common.entrant_counts, **own.entrant_counts},
    )
