"""The contents of a journal as a whole: read from a data folder, written into a new one, and compared."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from scoville_runtime.atomic_files import PART
from scoville_runtime.clock import Clock
from scoville_server.events import ReportDamage
from scoville_server.journal.base import START, Change, JournalError, StoredUser
from scoville_server.journal.contents import JournalContents
from scoville_server.journal.files.scratch import scratch_folder
from scoville_server.journal.seals import checksum_of
from scoville_server.journal.sqlite import SqliteJournal
from scoville_server.journal.store import Store
from scoville_shared.ids import TableId

_PENDING: Final = 100_000
"""Writes that may wait for the disk: a copy of a whole table is one of them."""
_ROWS: Final = 1_000
"""Rows of one write; what a write has is in memory several times."""


class Snapshot(NamedTuple):
    """The contents of a journal, each oldest first.

    Attributes:
        tables: The packed records of each open table.
        users: The users.
        books: The rows of each book: keys and values.
        alive_ms: When the server was last known to be alive, in milliseconds since 1970; None for unknown.
    """

    tables: Mapping[TableId, Sequence[bytes]]
    users: Sequence[StoredUser]
    books: Mapping[str, Sequence[tuple[str, bytes]]]
    alive_ms: int | None = None

    def digest_parts(self) -> dict[str, bytes]:
        """Return a digest of each part, by its name in a sentence."""
        return {
            **{f"table {table}": checksum_of("table", table, *records) for table, records in self.tables.items()},
            "the users": checksum_of("users", "", *map(msgspec.msgpack.encode, self.users)),
            **{
                f"book {book}": checksum_of("book", book, *(part for row in rows for part in row))
                for book, rows in self.books.items()
                if rows
            },
        }

    def find_differences(self, other: "Snapshot") -> list[str]:
        """Name the parts in which two journals differ."""
        mine, others = self.digest_parts(), other.digest_parts()
        return sorted(name for name in {*mine, *others} if mine.get(name) != others.get(name))


def snapshot_of(kept: JournalContents) -> Snapshot:
    """Return the snapshot of a data folder's contents."""
    books = {book: [(key, row.value) for key, row in rows] for book, rows in kept.books.items()}
    return Snapshot(kept.tables, kept.users, books, kept.alive_ms)


def read_folder(folder: Path, report_damage: ReportDamage, clock: Clock) -> Snapshot:
    """Read the journal of a data folder that no server uses. Raises JournalError, FolderTaken."""
    store = Store(folder, look_only=True, clock=clock, report_damage=report_damage)
    try:
        return snapshot_of(store.load_rows())
    finally:
        store.close()


async def write_folder(folder: Path, snapshot: Snapshot, clock: Clock, note_done: Callable[[], object]) -> None:
    """Write a journal into a folder that has nothing but the server's key. Raises JournalError.

    Args:
        folder: The folder.
        snapshot: The content.
        clock: The clock.
        note_done: Is called after each table.
    """
    # A folder with nothing but a key is a damaged one for all others.
    journal = SqliteJournal(folder, _PENDING, leave_out_damaged=True, clock=clock)
    try:
        await journal.open()
        for table, records in snapshot.tables.items():
            await journal.append(table, records, START)
            note_done()
        for user in snapshot.users:
            await journal.put_user(user)
        for book, rows in snapshot.books.items():
            for first in range(0, len(rows), _ROWS):
                await journal.write([Change(book, name, value) for name, value in rows[first : first + _ROWS]])
        if snapshot.alive_ms is not None:
            await journal.note_alive(snapshot.alive_ms)
    finally:
        await journal.close()


@contextmanager
def new_copy_of(target: Path) -> Iterator[Path]:
    """Provide a folder for a copy, which gets the name `target` when the body ends, in place of an empty folder.

    Raises JournalError for a target that is no new or empty folder, FolderTaken while another copy to it is made,
    OSError.
    """
    _check_is_new(target)
    with scratch_folder(target.with_name(target.name + PART), target) as copy:
        _check_is_new(target)  # again: another copy may have got its name between the first look and the lock
        yield copy
        if target.exists():
            target.rmdir()
        copy.rename(target)


def _check_is_new(target: Path) -> None:
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise JournalError(f"{target} is not empty, and stays as it is; name a new folder.")
