"""The lobby over several nodes: each tells the others how its tables look in the list, as often as the list changes."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final, NamedTuple

from msgspec import Struct, msgpack
from msgspec.structs import replace

from scoville_runtime.clock import CallLater, Clock
from scoville_server.nodes.held_keys import HeldKeys
from scoville_server.nodes.members import Members, NodeId
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.model.table import Table, table_for_lobby
from scoville_server.tables.observers import Change, TableObserver
from scoville_server.tables.registry import TableRegistry
from scoville_server.tables.watching.project import list_time_left
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol.messages import TableInfo

DIGEST_SECONDS: Final = 0.5
"""Seconds between two messages with the lines that have changed."""
_TOLD_SECONDS: Final = 2 * DIGEST_SECONDS
"""How long it counts that a node has told a user of a seat: its line of the table comes sooner."""
KEPT_SECONDS: Final = 10.0
"""How long the tables of a lost node are shown: until other nodes have taken them over."""

LISTED: Final = frozenset(
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
"""The changes of a table that its line shows."""


class TableLine(Struct, frozen=True, array_like=True, omit_defaults=True):
    """How a table looks in the list.

    Attributes:
        info: To users without a seat; of a private table they see it only as `readers`.
        opened_ms: When it was opened, in milliseconds since 1970.
        seats: The seats of its players.
        to_move: The seats that owe a move.
        own: To its players, where it looks different to them.
        private: Whether only `readers` may see it.
        readers: Who may see a private table, and its `code`.
        barred: Who saw it once, and may see it no more.
        left_ms: The time that each seat which owes a move has left, in milliseconds, where the table has a clock.
        opened_by: Who has opened it; empty for a daily deal, which counts for nobody.
    """

    info: TableInfo
    opened_ms: int
    seats: dict[UserId, int] = {}
    to_move: tuple[int, ...] = ()
    own: TableInfo | None = None
    private: bool = False
    readers: tuple[UserId, ...] = ()
    barred: tuple[UserId, ...] = ()
    code: str = ""
    left_ms: dict[int, int] = {}
    opened_by: UserId = UserId("")

    def age(self, ms: int) -> "TableLine":
        """Return the line as it looks so many milliseconds later."""
        starts, left = self.info.starts_in_ms, self.left_ms
        if starts is None and not left:
            return self
        info = self.info if starts is None else replace(self.info, starts_in_ms=max(0, starts - ms))
        return replace(self, info=info, left_ms={seat: max(0, each - ms) for seat, each in left.items()})

    def is_shown_to(self, reader: UserId) -> bool:
        """Whether a user may know of the table."""
        return not self.private or reader in self.readers

    def describe_for(self, reader: UserId) -> TableInfo:
        """Describe the table as the list shows it to a user who may know of it."""
        seat = self.seats.get(reader)
        info = self.info if self.own is None or seat is None else self.own
        if self.code:
            info = replace(info, code=self.code)
        if seat is None:
            return info
        return replace(info, your_seat=seat, your_turn=seat in self.to_move, turn_left_ms=self.left_ms.get(seat))


def describe_line(actor: TableActor) -> TableLine:
    """Describe a table of this node for the lists of others."""
    table = actor.table
    private = table.opened.settings.private
    seats = {seat_state.user: seat for seat, seat_state in enumerate(table.seats) if seat_state.user is not None}
    owned = {user: seat for user, seat in seats.items() if table.owned_seat(user) == seat}
    # The View of the first player stands for all: seats and turns have fields of their own.
    differs = bool(owned) and table_for_lobby(table) is not table
    left = None if table.paused else list_time_left(table, actor.now())
    knowing = users_with_own_view(table) if private else set[UserId]()
    readers = sorted(user for user in knowing if table.admits_user(user))
    return TableLine(
        replace(actor.watched.describe_table(), code=None) if private else actor.watched.describe_table(),
        table.opened.at_ms,
        owned,
        tuple(table.to_move),
        actor.watched.describe_table(next(iter(owned))) if differs else None,
        private,
        tuple(readers),
        tuple(sorted(knowing.difference(readers))),
        table.opened.code if private else "",
        {seat: left[seat] for seat in table.to_move} if left is not None else {},
        UserId("") if table.opened.deal else table.opened.user,
    )


def users_with_own_view(table: Table) -> set[UserId]:
    """List the users who see a table differently: its players, and those who may or might enter a private one."""
    sitting = seated_users(table)
    if not table.opened.settings.private:
        return sitting
    return sitting | {*table.admitted, *table.kicked, *table.former_members, table.opened.user}


def seated_users(table: Table) -> set[UserId]:
    return {seat_state.user for seat_state in table.seats if seat_state.user is not None}


class LobbyDigests(TableObserver):
    """Tells the other nodes every half second which lines have changed; everything after a gap.

    While no other node hears it, it only notes which tables have changed: to describe them would take a thirtieth of
    the time of a node that serves everybody.
    """

    observed = LISTED

    def __init__(self, lines: HeldKeys, call_later: CallLater, is_closing: Callable[[], bool]) -> None:
        self._lines = lines
        self._call_later = call_later
        self._is_closing = is_closing
        self._changed: dict[str, TableActor] = {}
        self._waits = False
        lines.before_listing = self._hold_changes

    def table_opened(self, actor: TableActor) -> None:
        self._note_change(actor)

    def table_changed(self, actor: TableActor, done: Done) -> None:  # noqa: ARG002 - the line shows the table as it is
        self._note_change(actor)

    def presence_changed(self, actor: TableActor) -> None:
        self._note_change(actor)

    def table_removed(self, actor: TableActor) -> None:
        self._changed.pop(actor.table.id, None)
        self._lines.release_key(actor.table.id)

    def _note_change(self, actor: TableActor) -> None:
        self._changed[actor.table.id] = actor
        if not self._waits:
            self._waits = True
            self._call_later(DIGEST_SECONDS, self._publish_changes)

    def _publish_changes(self) -> None:
        self._waits = False
        if self._lines.are_heard:
            self._hold_changes()

    def _hold_changes(self) -> None:
        changed, self._changed = self._changed, {}
        if not self._is_closing():
            lines = {table: msgpack.encode(describe_line(actor)) for table, actor in changed.items()}
            self._lines.hold_keys(
                {table: line for table, line in lines.items() if line != self._lines.find_own_value(table)}
            )


def make_digests(lines: HeldKeys, registry: TableRegistry) -> LobbyDigests:
    """Make the reporter that tells other nodes of a registry's tables."""
    return LobbyDigests(lines, registry.clock.call_later, lambda: registry.is_closing)


class _Told(NamedTuple):
    """Whether a user has a seat, as they were told; it counts for a moment."""

    is_seated: bool
    until: float


class FarChanges(NamedTuple):
    """The tables of other nodes that look different now, and those that are gone."""

    altered: list[TableLine]
    gone: list[TableLine]


class FarTables:
    """The tables of other nodes as the lobby of this one shows them; none for a server alone.

    Args:
        lines: The lines that nodes tell each other.
        members: The nodes.
        is_served_here: Whether this node serves a table: then its own line counts.
        clock: The clock.

    Attributes:
        on_change: Is called when `take_changes` has something new.
    """

    def __init__(
        self,
        lines: HeldKeys,
        members: Members,
        is_served_here: Callable[[object], bool],
        clock: Clock,
    ) -> None:
        self._lines = lines
        self._is_served_here = is_served_here
        self._now = clock.seconds
        self._known: dict[str, TableLine] = {}
        self._heard: dict[str, float] = {}
        """When the line of each table has come, in seconds."""
        self._shown: dict[str, TableInfo] = {}
        """Tables as users without a seat were shown them last."""
        self._altered: dict[str, None] = {}
        self._gone: dict[str, TableLine] = {}
        self._seated: defaultdict[UserId, set[TableId]] = defaultdict(set)
        """The tables of their lines at which each user has a seat."""
        self._told: dict[UserId, dict[TableId, _Told]] = {}
        """Seats that users have just been told of, and that no line may show yet."""
        self.on_change: Callable[[], object] = lambda: None
        lines.on_change = self._note_lines
        members.follow_losses(lambda node: clock.call_later(KEPT_SECONDS, lambda: lines.forget_if_lost(node)))

    def _note_lines(self, _: NodeId, held: Mapping[str, bytes], released: Iterable[str]) -> None:
        for table in released:
            # Another node may hold it by now.
            value = self._lines.find_value(table)
            former = self._known.get(table)
            if value is None and former is not None:
                del self._known[table], self._heard[table]
                self._note_seats(former, None)
                self._shown.pop(table, None)
                self._altered.pop(table, None)
                self._gone[table] = former
        for table, value in held.items():
            line = msgpack.decode(value, type=TableLine)
            if line != self._known.get(table):
                self._note_seats(self._known.get(table), line)
                self._known[table], self._heard[table] = line, self._now()
                self._gone.pop(table, None)
                self._altered[table] = None
        if self._altered or self._gone:
            self.on_change()

    def list_shown(self, reader: UserId) -> list[TableLine]:
        """List the tables that a user may know of."""
        return [
            self._age_line(table)
            for table, line in self._known.items()
            if line.is_shown_to(reader) and not self._is_served_here(table)
        ]

    def _age_line(self, table: str) -> TableLine:
        return self._known[table].age(round(1000 * (self._now() - self._heard[table])))

    def note_shown(self) -> None:
        """Note how all tables look to a user who starts to watch the lobby."""
        for table, line in self._known.items():
            self._shown.setdefault(table, line.info)

    def looks_new(self, line: TableLine) -> bool:
        """Whether a table looks different to users without a seat since they were shown it.

        For a game shown in rounds, a notice without anything new would reveal by its arrival that something happened.
        """
        before, self._shown[line.info.table] = self._shown.get(line.info.table), line.info
        return before != line.info

    def count_opened(self, user: UserId) -> int:
        """Count the tables of other nodes that a user has opened."""
        return sum(line.opened_by == user and not self._is_served_here(table) for table, line in self._known.items())

    def _note_seats(self, before: TableLine | None, after: TableLine | None) -> None:
        for line in filter(None, (before, after)):
            for user, seat in line.seats.items():
                seated, table = self._seated[user], TableId(line.info.table)
                # While a bot plays for a user, the seat is not theirs.
                if line is after and line.info.seats[seat].kind == "human":
                    seated.add(table)
                else:
                    seated.discard(table)
                if not seated:
                    del self._seated[user]

    def list_seats(self, user: UserId) -> Mapping[TableId, bool]:
        """Return the tables of other nodes at which a user has a seat, each with whether its game is over."""
        known = self._known
        seats = {
            table: known[table].info.status == "finished"
            for table in self._seated.get(user, ())
            if not self._is_served_here(table)
        }
        for table, told in self._told.get(user, {}).items():
            if told.until > self._now() and not self._is_served_here(table):
                if told.is_seated:
                    seats.setdefault(table, False)
                else:
                    seats.pop(table, None)
        return seats

    def note_seat(self, user: UserId, table: TableId) -> None:
        """Note that a user has just got a seat at another node, whose line of the table comes some time later."""
        self._note_told(user, table, is_seated=True)

    def note_leave(self, user: UserId, table: TableId) -> None:
        """Note that a user has just left a table of another node."""
        self._note_told(user, table, is_seated=False)

    def _note_told(self, user: UserId, table: TableId, *, is_seated: bool) -> None:
        now = self._now()
        self._told = {
            each: left
            for each, told in self._told.items()
            if (left := {key: value for key, value in told.items() if value.until > now})
        }
        self._told.setdefault(user, {})[table] = _Told(is_seated, now + _TOLD_SECONDS)

    def find_line(self, table: str) -> TableLine | None:
        """Return the line of a table of another node; None for none."""
        return self._known.get(table)

    def may_wait(self, table: str) -> bool:
        """Whether a table of another node may wait for its start, as far as this node knows."""
        line = self._known.get(table)
        return line is None or line.info.status == "waiting"

    def take_changes(self, most: int) -> FarChanges:
        """Return the changes since the last time, at most so many tables; the others wait for the next time."""
        chosen = [*self._altered][:most]
        for table in chosen:
            del self._altered[table]
        altered = [self._age_line(table) for table in chosen if not self._is_served_here(table)]
        gone = [line for table, line in self._gone.items() if not self._is_served_here(table)]
        self._gone.clear()
        return FarChanges(altered, gone)

    def show_again(self, table: str) -> bool:
        """Show a table that this node serves no more; return whether another one has told of it."""
        if table in self._known:
            self._altered[table] = None
        return table in self._known

    def forget_changes(self) -> None:
        """Forget the changes: nobody reads it."""
        self._altered.clear()
        self._gone.clear()
        self._shown.clear()

    @property
    def has_changes(self) -> bool:
        """Whether some changes wait."""
        return bool(self._altered or self._gone)


def users_of(line: TableLine) -> Collection[UserId]:
    """List the users who see a line differently from others."""
    return {*line.seats, *line.readers, *line.barred}
