"""The Journal protocol: durable records of tables, users and books, and its errors."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import NamedTuple, NewType, Protocol, runtime_checkable

from msgspec import Struct

from scoville_server.errors import RetryableError
from scoville_server.events import Damage
from scoville_server.identity import ServerKey
from scoville_shared.errors import Code
from scoville_shared.ids import TableId, UserId

Mark = NewType("Mark", bytes)
"""Names the newest record of a table; opaque. A writer shows by it that they know all earlier records."""

START = Mark(b"")
"""The mark of a table without records."""

Revision = NewType("Revision", bytes)
"""Names the value of a row; opaque. Revisions of a row are equal only if its values are."""

ABSENT = Revision(b"")
"""The revision of a row that does not exist."""


class JournalError(RetryableError):
    """A write or a read that failed; the sentence says why, and what can be done.

    `code` is `not_saved` unless a subclass or the place that raises it knows better.
    """

    def __init__(self, message: str, code: Code = Code.NOT_SAVED) -> None:
        super().__init__(code, message)


class CommitFailed(JournalError):
    """The disk, the file or another program is at fault: it hits all writes that share the commit."""


class StorageLost(CommitFailed):
    """The open files are not those that their paths name any more: nothing can be saved until the next start."""

    def __init__(self, what: str) -> None:
        self.what = what
        sentence = "The server's files were removed, moved or replaced; nothing can be saved until it is started again."
        super().__init__(sentence, Code.STORAGE_LOST)


class FolderUnreachable(CommitFailed):
    """The data folder cannot be reached, and nothing was written meanwhile: writing goes on once it is back."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__("The server cannot save right now, so nothing was changed; try again later.")


class Fenced(JournalError):
    """The newest record of a table is not the one that the writer knows; nothing was kept.

    Another writer has written to the table: its actor in this process is not the only one.
    """

    def __init__(self, table: TableId) -> None:
        self.table = table
        super().__init__(f"Another server process has changed table {table}; nothing was saved.")


class Deposed(JournalError):
    """Another node serves from now on; nothing was kept, and this node can write nothing more."""

    def __init__(self) -> None:
        super().__init__("Another server process serves now; nothing was saved. Connect again.", Code.MOVED)


class Conflict(JournalError):
    """A row of a book is not as the writer knows it; nothing of the write was kept.

    Another writer has changed the row, or another part of this server: read it again before the next try.
    """

    def __init__(self, book: str, key: str) -> None:
        self.book = book
        self.key = key
        super().__init__("This was changed by somebody else at the same time; nothing was saved. Try again.")


class FolderTaken(JournalError):
    """Another process keeps its tables in this folder."""


class StoredUser(Struct, frozen=True, kw_only=True):
    """A user with something to return to: a seat, a session or an account.

    `lapsed` are the tables at which a bot plays for them only because they stayed disconnected. Their
    tokens are in a book of their own.
    """

    user: UserId
    name: str
    lapsed: tuple[TableId, ...] = ()


class Row(NamedTuple):
    """A row of a book: its value, and the revision that names this value."""

    value: bytes
    revision: Revision


class Change(NamedTuple):
    """A change of a book: the `value` of a key from now on, None to delete the row.

    With `after` the change is conditional: it is made only if that is the row's revision, `ABSENT` for no row.
    """

    book: str
    key: str
    value: bytes | None
    after: Revision | None = None


OnChange = Callable[[str, Row | None], object]
"""Is called with the key of a row that has changed, and the row; None if it was deleted."""


OnUserChange = Callable[[UserId, StoredUser | None], object]
"""Is called with a user who has changed, and their stored row; None if they were deleted."""


class Opened(NamedTuple):
    """A journal's account of itself when it is opened.

    Attributes:
        key: The server's private key; None in a journal that keeps none.
        newest_ms: The newest time that the journal knows, in milliseconds since 1970; 0 for none.
    """

    key: ServerKey | None = None
    newest_ms: int = 0


class StoredTable(NamedTuple):
    """The packed records of an open table, oldest first, and the newest one's mark.

    Attributes:
        ahead: The value that `ReadAhead` has made of the first ones, in a journal that was followed before; else None.
    """

    records: Sequence[bytes]
    mark: Mark
    ahead: object = None


ReadAhead = Callable[[object, Sequence[bytes]], object]
"""Reads a table on as its records come in: takes what it has made of the first ones, and all of them."""


class StoredTables(NamedTuple):
    """All open tables, oldest first.

    Attributes:
        tables: The tables.
        alive_ms: When their owner was last known to be alive, in milliseconds since 1970; None for unknown.
        alive_epoch: The epoch of that owner, 0 for a server alone; None where nodes have no epochs.
    """

    tables: Mapping[TableId, StoredTable]
    alive_ms: int | None = None
    alive_epoch: int | None = None

    def alive_ms_of(self, owner_epoch: int) -> int | None:
        """Return when the owner of an epoch was last known to be alive."""
        # Another node's clock may be ahead of that which a table's times are from.
        return self.alive_ms if self.alive_epoch in (None, owner_epoch) else None


@runtime_checkable
class Reporting(Protocol):
    """A journal that reports when it can save nothing any more. The function runs on the event loop."""

    on_lost: Callable[[StorageLost], None]


@runtime_checkable
class Inspectable(Protocol):
    """A journal that can be read without a change, so that a start that is refused leaves its folder as it was."""

    async def inspect(self) -> Opened:
        """Read the journal like `open`; writes wait for `prepare`. Raises JournalError."""

    async def prepare(self) -> None:
        """Make the journal ready for writing. Raises JournalError."""

    def abandon(self) -> None:
        """Give up the start: refuse the writes that wait for it."""


@runtime_checkable
class Shared(Protocol):
    """A journal that several nodes write to, of which one serves: the one that has taken the newest epoch.

    An epoch is a fence for everything that marks do not fence: rows, users and the deletion of tables. A node that
    hung, or was cut off, and wakes finds every such write refused with Deposed, even if it learns of that much later.
    """

    on_deposed: Callable[[], None]
    """Is called once when another node has taken a newer epoch, in the loop's turn after this one has learned of it.

    Writes are refused from that moment on, and so perhaps before the call.
    """

    async def take_epoch(self) -> int:
        """Serve from now on, and return the new epoch, higher than all before. Raises JournalError.

        The former node can write no more rows then, and followers have been called for all that it has written. So the
        rows are complete, and so is what is read later. It comes last at a start: nothing refuses that any more.
        """

    async def join_epoch(self) -> int:
        """Serve from now on beside others, and return their epoch. Raises JournalError, Conflict if there is none.

        Rows that they write at the same time are followed. One newer epoch ends all of them.
        """

    async def confirm_epoch(self) -> None:
        """Raise Deposed if another node has taken a newer epoch, JournalError if that cannot be found out now."""

    async def list_tables(self) -> Collection[TableId]:
        """List the tables that have records, and none that was deleted. Raises JournalError."""

    async def read_tables(self, tables: Collection[TableId]) -> Mapping[TableId, StoredTable]:
        """Read several tables at once. Raises JournalError.

        Tables without records are left out, and those that cannot be read whole, which are reported.
        """

    async def reach_present(self) -> Callable[[Revision], bool]:
        """Follow all rows that were kept before the call; returns what says whether the revision of a row is of then.

        Raises JournalError.
        """

    def check_epoch_soon(self) -> None:
        """Find out whether another node has taken a newer epoch; `on_deposed` is called then."""


@runtime_checkable
class Heartbeat(Protocol):
    """A journal that knows at its next start when the server was last alive."""

    async def note_alive(self, now_ms: int) -> None:
        """Note that the server is alive. Raises JournalError when nothing can be saved."""


class Books(Protocol):
    """Rows of bytes by book and key, each with a revision: conditional writes, and changes that can be followed."""

    async def get(self, book: str, key: str) -> Row | None:
        """Read a row as it is now; None if there is none. Raises JournalError."""

    async def write(self, changes: Sequence[Change]) -> None:
        """Make changes, all or none.

        Raises:
            Conflict: The condition of a change is not met.
            JournalError: The changes could not be kept.
        """

    def follow(self, book: str, on_change: OnChange) -> None:
        """Call a function for every row of a book, oldest first, and then for every change by any writer.

        The rows come at once, or within `open` if the journal is not open yet; what the function raises then is raised
        there. The calls for changes come on the event loop once the changes are durable, in the order in which they
        were made, and before the `write` that made them returns. None is missing between the rows and the changes.
        """

    def report_damage(self, damage: Damage) -> None:
        """Report something stored that cannot be used."""


# Decision 038: appends are fenced by a mark, so a node that was believed dead cannot write when it wakes.
class Journal(Books, Protocol):
    """Durable storage of the tables' records, each table's in order, of the users and of books.

    A table notifies nobody of a record before `append` has returned. An `append` that raises has kept nothing, unless
    the code of the error is `outcome_unknown` or `storage_lost`; after the first, a later call that succeeds
    proves that it has kept nothing. Every method raises JournalError when the journal cannot do it now; the next call
    may succeed, but not after `storage_lost`. Calls take effect in the order in which they are made.
    """

    async def open(self) -> Opened:
        """Open the journal, once, and show followers their rows. Raises JournalError with a sentence for the host."""

    async def tables(self) -> StoredTables:
        """Return all tables, to be called once, at a start. Raises JournalError."""

    async def users(self) -> Sequence[StoredUser]:
        """Return all users, oldest first, to be called once, at a start. Raises JournalError."""

    def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Awaitable[Mark]:
        """Keep records for good, all or none.

        Args:
            table: The table.
            records: Its new records, encoded by the caller, oldest first.
            after: The mark of the table's newest record so far, `START` for a new table.
            afresh: Whether the records replace all earlier ones.

        Returns:
            The mark of the last record, once all are durable; an `Eventual` brings it soonest.

        Raises:
            Fenced: `after` is not the mark of the table's newest record.
            JournalError: The records could not be kept.
        """

    async def read(self, table: TableId) -> tuple[list[bytes], Mark]:
        """Return a table's records, oldest first, and the newest one's mark: `START` for an unknown table.

        They are those of this moment, never of an earlier one: what is read decides whether a lost append was kept.
        """

    async def delete_records(self, table: TableId, after: Mark) -> None:
        """Delete a table's records. Raises Fenced like `append`; a table without records is fine."""

    async def put_user(self, known: StoredUser) -> None:
        """Store a user, replacing the earlier version."""

    async def delete_user(self, user: UserId) -> None:
        """Delete a user."""

    def follow_users(self, on_change: OnUserChange) -> None:
        """Call a function for every change of a user by any writer, as `follow` does; not for those that are there."""

    async def close(self) -> None:
        """Finish pending writes, and close."""
