"""Books: values stored by key beside the tables, read from memory and valid once they are on disk."""

import logging
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType, MethodType
from typing import Generic, TypeVar
from weakref import WeakMethod

import msgspec

from scoville_server.events import Damage, ReportDamage
from scoville_server.journal.base import (
    ABSENT,
    Books,
    Change,
    Conflict,
    JournalError,
    OnChange,
    OnUserChange,
    Revision,
    Row,
    StoredUser,
)
from scoville_shared.ids import UserId

T = TypeVar("T")

ValueChange = Callable[[str, T | None, T | None], object]
"""Is called with the key of a row, and its value before and after a change by any writer; None for no row."""

MOST_TRIES = 4
"""How often a change is tried that other nodes are faster than: they write the same row a few times a minute."""

_LEVEL = 1
"""How hard to compress: more takes much longer and hardly less memory."""

_log = logging.getLogger(__name__)

PROTECTING = frozenset(
    {
        *("accounts", "admins", "admins.named", "bans", "ignores", "moderators", "mutes"),
        *("names.retired", "recoveries", "sessions"),
    }
)
"""Books that protect players from others: without a damaged row of these a user might do what they may not. So a
server does not start without one unless its host says so."""

LOSABLE = frozenset(
    {
        "audit",
        "audit.latest",
        "calendars",
        "careers",
        "chat",
        "claims",
        "client_settings",
        "clock",
        "clubs",
        "clubs.names",
        "daily.attempts",
        "daily.days",
        "daily.players",
        "digests",
        "games",
        "invitations.missed",
        "maintenance",
        "moderation.warnings",
        "puzzles.days",
        "puzzles.figures",
        "puzzles.players",
        "reports",
        "tournaments",
        "vacations",
        "warnings",
    }
)
"""Books whose damaged rows are left out with a sentence in the log: everything else goes on without them."""


class Followers:
    """The functions to call for changes, by book: for implementations of `Books`.

    Methods of an object are called as long as that is there: a journal may outlive the server whose books follow it.
    """

    def __init__(self, report_damage: ReportDamage) -> None:
        self._of: defaultdict[str, list[Callable[[], OnChange | None]]] = defaultdict(list)
        self._report_damage = report_damage

    def add_follower(self, book: str, on_change: OnChange, rows: Sequence[tuple[str, Row]] = ()) -> None:
        """Call a function for the rows of a book now, and for every change from now on."""
        self._of[book].append(WeakMethod(on_change) if isinstance(on_change, MethodType) else lambda: on_change)
        for key, row in rows:
            on_change(key, row)

    def show_rows(self, books: Mapping[str, Sequence[tuple[str, Row]]]) -> None:
        """Call all functions for the rows that a journal had when it was opened."""
        for book in [*self._of]:
            for on_change in self._list_followers(book):
                for key, row in books.get(book, ()):
                    on_change(key, row)

    def _list_followers(self, book: str) -> list[OnChange]:
        return [on_change for follower in self._of.get(book, ()) if (on_change := follower()) is not None]

    def notify_followers(self, changes: Sequence[Change], rows: Sequence[Row | None]) -> None:
        """Call the functions for changes that have been made; `rows` are what became of them."""
        for change, row in zip(changes, rows, strict=True):
            self.notify_change(change.book, change.key, row)

    def notify_change(self, book: str, key: str, row: Row | None) -> None:
        """Call the functions for one change that has been made."""
        for on_change in self._list_followers(book):
            try:
                on_change(key, row)
            except JournalError as error:  # of a newer version, on another node
                self._report_damage(Damage(reason=f"{error.message} The change is ignored."))


class UserFollowers:
    """The functions to call for changes of users: for implementations of `Journal`. They are held as by `Followers`."""

    def __init__(self) -> None:
        self._followers: list[Callable[[], OnUserChange | None]] = []

    def add_follower(self, on_change: OnUserChange) -> None:
        """Call a function for every change from now on."""
        self._followers.append(WeakMethod(on_change) if isinstance(on_change, MethodType) else lambda: on_change)

    def notify_change(self, user: UserId, stored: StoredUser | None) -> None:
        """Call the functions for a change that has been made."""
        for follower in self._followers:
            if (on_change := follower()) is not None:
                on_change(user, stored)


class OwnWrites(Generic[T]):
    """The values that this node is writing, by the key of their row; None deletes one.

    Each comes back as a change, and may be older by then than what the node knows.
    """

    def __init__(self) -> None:
        self._values: dict[str, list[T | None]] = {}

    @contextmanager
    def note_write(self, key: str, value: T | None) -> Iterator[None]:
        """Note a value until its write has ended."""
        values = self._values.setdefault(key, [])
        values.append(value)
        try:
            yield
        finally:
            values.remove(value)
            if not values:
                del self._values[key]

    def has_written(self, key: str, value: T | None) -> bool:
        """Whether a change has the value that this node is writing."""
        return value in self._values.get(key, ())


class WrittenBook(Generic[T]):
    """Values of one type by key that are read at the start, and only written after `release_rows`.

    `name` distinguishes its rows from those of other books. A type may gain fields with defaults between versions; any
    other change of a type needs another name.
    """

    def __init__(self, name: str, kind: type[T], journal: Books) -> None:
        self.name = name
        self._journal = journal
        self._read = msgspec.msgpack.Decoder(kind).decode
        self._held: dict[str, T] = {}
        self._is_released = False
        journal.follow(name, self._on_change)

    def release_rows(self) -> Iterator[tuple[str, T]]:
        """List everything that was kept, for the last time."""
        held, self._held = self._held, {}
        self._is_released = True
        return iter(held.items())

    async def write_rows(
        self,
        changes: Mapping[str, T | None],
        new: Collection[str] = (),
        *,
        after: Mapping[str, Revision] = MappingProxyType({}),
        more: Sequence[Change] = (),
    ) -> None:
        """Change several values at once, all or none; None drops one.

        Args:
            changes: The values by key.
            new: The keys that must not exist yet.
            after: The revisions that other keys must have.
            more: Changes of other books that are made with them.

        Raises:
            Conflict: A condition is not met.
            JournalError: Nothing has changed.
        """
        conditions = {**dict.fromkeys(new, ABSENT), **after}
        own = [self._make_change(key, value, conditions.get(key)) for key, value in changes.items()]
        await self._send_changes([*own, *more])

    async def _send_changes(self, changes: Sequence[Change]) -> None:
        await self._journal.write(changes)

    def _make_change(self, key: str, value: T | None, after: Revision | None) -> Change:
        return Change(self.name, key, None if value is None else msgspec.msgpack.encode(value), after)

    def _on_change(self, key: str, row: Row | None) -> None:
        """Take over a row or a change. Raises JournalError for a row that this version cannot read.

        In a book that protects nobody such a row is passed over; it stays in the journal.
        """
        if self._is_released:
            return
        if row is None:
            self._drop_row(key)
            return
        try:
            self._hold_row(key, row)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            sentence = self._describe_unreadable(key, error)
            if self.name not in LOSABLE:
                raise JournalError(sentence) from error
            self._journal.report_damage(Damage(reason=f"{sentence} It is ignored."))

    def _hold_row(self, key: str, row: Row) -> None:
        self._held[key] = self._read(row.value)

    def _drop_row(self, key: str) -> None:
        self._held.pop(key, None)

    def _describe_unreadable(self, key: str, error: Exception) -> str:
        return f"The row {key} of the book {self.name} cannot be read by this version of Scoville ({error})."


def _ignore_change(_key: str, _before: T | None, _after: T | None) -> None:
    pass


class Book(WrittenBook[T]):
    """Values of one type by key, oldest key first: it follows its rows in the journal and holds them in memory.

    `on_change` is called for each row when the journal is opened, and then for each change, by this node or another
    one: what is derived from the rows, such as an index, is the same at all nodes. It is called before the write that
    makes a change returns.
    """

    def __init__(self, name: str, kind: type[T], journal: Books, on_change: ValueChange[T] = _ignore_change) -> None:
        self._writing: dict[bytes, T] = {}
        """Values that this book is writing, by their bytes: they are held as they are, and need not be read again."""
        self._on_value_change = on_change
        super().__init__(name, kind, journal)

    def get(self, key: str) -> T | None:
        """Find a value, None when it is not there."""
        return self._held.get(key)

    def items(self) -> Iterator[tuple[str, T]]:
        """List everything with its key."""
        return iter(tuple(self._held.items()))

    @property
    def keys(self) -> list[str]:
        """All keys, oldest first."""
        return [*self._held]

    def __contains__(self, key: str) -> bool:
        return key in self._held

    def __len__(self) -> int:
        return len(self._held)

    async def put_row(self, key: str, value: T) -> None:
        """Store a value under a key. Raises JournalError, and then nothing has changed."""
        await self.write_rows({key: value})

    async def create_row(self, key: str, value: T) -> None:
        """Store a value under a new key. Raises JournalError, Conflict if the key exists."""
        await self.write_rows({key: value}, new=[key])

    async def drop_row(self, key: str) -> None:
        """Delete the row. Raises JournalError."""
        await self.write_rows({key: None})

    async def _send_changes(self, changes: Sequence[Change]) -> None:
        try:
            await super()._send_changes(changes)
        finally:
            self._writing.clear()

    def _make_change(self, key: str, value: T | None, after: Revision | None) -> Change:
        change = super()._make_change(key, value, after)
        if change.value is not None and value is not None:
            self._writing[change.value] = value
        return change

    def _hold_row(self, key: str, row: Row) -> None:
        before, after = self._held.get(key), self._writing.get(row.value) or self._read(row.value)
        self._held[key] = after
        self._on_value_change(key, before, after)

    def _drop_row(self, key: str) -> None:
        before = self._held.pop(key, None)
        if before is not None:
            self._on_value_change(key, before, None)


class ConditionalBook(Book[T]):
    """A book that knows the revisions of its rows, so that changes can be conditional: several nodes may write them."""

    def __init__(self, name: str, kind: type[T], journal: Books, on_change: ValueChange[T] = _ignore_change) -> None:
        self._revisions: dict[str, Revision] = {}
        super().__init__(name, kind, journal, on_change)

    async def replace_rows(self, values: Mapping[str, T | None]) -> None:
        """Store several values, all or none, in place of those that this book holds; None drops one.

        Raises:
            Conflict: One of the rows has changed since it was last heard of.
            JournalError: Nothing has changed.
        """
        await self._send_changes(
            [self._make_change(key, value, self._revision_of(key)) for key, value in values.items()]
        )

    async def change_row(self, key: str, change: Callable[[T | None], T | None]) -> tuple[T | None, T | None]:
        """Replace a value by the result of a change, and return both.

        The change is made again where another node has written meanwhile.

        Raises:
            Conflict: Others write again and again.
            JournalError: Nothing has changed; also what the change raises.
        """
        for tries_left in reversed(range(MOST_TRIES)):
            before = self.get(key)
            after = change(before)
            if after == before:
                break
            try:
                await self.replace_rows({key: after})
            except Conflict:
                if not tries_left:
                    raise
                await self.read_row(key)
            else:
                break
        return before, after

    async def read_row(self, key: str) -> None:
        """Take over a row as it is now: changes by other nodes come a moment later. Raises JournalError."""
        self._on_change(key, await self._journal.get(self.name, key))

    def _hold_row(self, key: str, row: Row) -> None:
        # First: a row that this version cannot read can be replaced.
        self._revisions[key] = row.revision
        super()._hold_row(key, row)

    def _drop_row(self, key: str) -> None:
        self._revisions.pop(key, None)
        super()._drop_row(key)

    def _revision_of(self, key: str) -> Revision:
        return self._revisions.get(key, ABSENT)


PassedRow = Callable[[str, T | None, Revision], object]
"""Is called with the key of a row, its value and its revision; None and `ABSENT` for a row that was deleted."""


class PassingBook(Book[T]):
    """Values that are read at the start, and passed on to `pass_on` after `release_rows`: it holds none of them."""

    def __init__(self, name: str, kind: type[T], journal: Books, pass_on: PassedRow[T]) -> None:
        self._passes = False
        self._pass_on = pass_on
        super().__init__(name, kind, journal)

    def release_rows(self) -> Iterator[tuple[str, T]]:
        held, self._held = self._held, {}
        self._passes = True
        return iter(held.items())

    async def read_row(self, key: str) -> None:
        """Pass a row on as it is now, if there is one. Raises JournalError."""
        row = await self._journal.get(self.name, key)
        if row is not None:
            self._on_change(key, row)

    def _hold_row(self, key: str, row: Row) -> None:
        own = self._writing.get(row.value)
        # Rows that this book writes before it was asked for them are not of an earlier run.
        if self._passes or own is not None:
            self._pass_on(key, own or self._read(row.value), row.revision)
        else:
            self._held[key] = self._read(row.value)

    def _drop_row(self, key: str) -> None:
        if self._held.pop(key, None) is None:
            self._pass_on(key, None, ABSENT)


class PackedBook(ConditionalBook[T]):
    """A book whose values are compressed in memory, to a sixth of their size as objects.

    To look one up costs some tens of microseconds: for what is looked up by hand, or at the ends of games. `on_change`
    is given no value from before a change.
    """

    def __init__(self, name: str, kind: type[T], journal: Books, on_change: ValueChange[T] = _ignore_change) -> None:
        self._packed: dict[str, bytes] = {}
        """Of each row the length of its revision, the revision, and the compressed value."""
        self._unread: dict[str, Revision] = {}
        """The revisions of rows that this version cannot read."""
        super().__init__(name, kind, journal, on_change)

    def get(self, key: str) -> T | None:
        packed = self._packed.get(key)
        return None if packed is None else self._unpack_row(packed)

    def items(self) -> Iterator[tuple[str, T]]:
        return ((key, self._unpack_row(packed)) for key, packed in tuple(self._packed.items()))

    @property
    def keys(self) -> list[str]:
        return [*self._packed]

    def __contains__(self, key: str) -> bool:
        return key in self._packed

    def __len__(self) -> int:
        return len(self._packed)

    def _hold_row(self, key: str, row: Row) -> None:
        try:
            # Read once, and dropped: a row that this version cannot read must be found out now, not at a look-up.
            value = self._writing.get(row.value) or self._read(row.value)
        except (msgspec.DecodeError, UnicodeDecodeError):
            self._packed.pop(key, None)
            self._unread[key] = row.revision
            raise
        self._unread.pop(key, None)
        self._packed[key] = bytes([len(row.revision)]) + row.revision + zlib.compress(row.value, _LEVEL)
        self._on_value_change(key, None, value)

    def _drop_row(self, key: str) -> None:
        self._packed.pop(key, None)
        self._unread.pop(key, None)
        self._on_value_change(key, None, None)

    def _revision_of(self, key: str) -> Revision:
        packed = self._packed.get(key)
        return self._unread.get(key, ABSENT) if packed is None else Revision(packed[1 : 1 + packed[0]])

    def _unpack_row(self, packed: bytes) -> T:
        return self._read(zlib.decompress(packed[1 + packed[0] :]))
