"""The journal's file on disk: SQLite in WAL mode, every commit synced. Knows no thread and no event loop."""

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec

from scoville_server.journal import disk, generations
from scoville_server.journal.base import Entry, JournalError, Kept, Known, StorageLost
from scoville_server.journal.faults import damaged, not_saved, unusable
from scoville_server.journal.generations import CURRENT
from scoville_server.journal.lock import FolderLock
from scoville_server.journal.open_files import OpenFiles
from scoville_server.journal.schema import migrate
from scoville_shared.ids import PersonId, TableId

PATIENCE_SECONDS = 2.0
"""How long a commit waits for another program that holds the file: longer than a back-up's glance at it."""

_APPEND = """
INSERT INTO records (table_id, n, record)
SELECT ?1, coalesce(max(n), 0) + 1, ?2 FROM records WHERE table_id = ?1
"""
_PUT = """
INSERT INTO books (book, key, value) VALUES (?, ?, ?) ON CONFLICT (book, key) DO UPDATE SET value = excluded.value
"""
_DROP = "DELETE FROM books WHERE book = ? AND key = ?"


class Store:
    """The tables and people of one data folder, which nobody else writes meanwhile.

    To be used by one thread at a time. Raises JournalError with a sentence for the host.
    """

    def __init__(self, folder: Path) -> None:
        make_folder(folder)
        self._lock = FolderLock(folder)
        try:
            number = generations.current(folder)
            generations.report_unfinished(folder, number)
            self.path = generations.journal_of(folder, number or 0)
            self._db = _opened(self.path)
            self._files = self._ready(folder, number or 0)
        except BaseException:
            self._lock.release()
            raise

    def load(self) -> Kept:
        """Read everything. Raises JournalError."""
        try:
            rows = self._db.execute("SELECT table_id, record FROM records ORDER BY table_id, n")
            tables = {table: [record for _, record in found] for table, found in groupby(rows, itemgetter(0))}
            people = self._db.execute("SELECT person, name, lapsed FROM people ORDER BY number")
            return Kept(tables, [_known(row) for row in people], self._books())
        except sqlite3.Error as error:
            raise unusable(self.path, error) from error

    def commit(self, writes: Iterable[Callable[["Store"], Any]]) -> list[Any]:
        """Carry out writes in one transaction, all or none; returns what each returns.

        Raises JournalError when the disk, the file or another program is at fault, which no write can help, and
        whatever a write raises by its own fault.
        """
        self._files.check()
        try:
            self._db.execute("BEGIN IMMEDIATE")
            results = [write(self) for write in writes]
            self._db.execute("COMMIT")
        except BaseException as error:
            self._undo()
            if isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError:
                raise not_saved() from error
            raise
        self._files.check()
        return results

    def close(self) -> None:
        """Fold the write-ahead log into the file and let the folder go."""
        self._db.close()
        self._lock.release()

    # --- what a commit consists of ----------------------------------------------------------------------

    def append(self, table: TableId, records: Sequence[bytes], *, afresh: bool = False) -> None:
        """Add packed records behind those that the table has, or, `afresh`, in place of them."""
        if afresh:
            self.retire(table)
        self._db.executemany(_APPEND, [(table, record) for record in records])

    def read(self, table: TableId) -> list[bytes]:
        """Read a table's records."""
        rows = self._db.execute("SELECT record FROM records WHERE table_id = ? ORDER BY n", (table,))
        return [record for (record,) in rows]

    def retire(self, table: TableId) -> None:
        """Drop a table's records."""
        self._db.execute("DELETE FROM records WHERE table_id = ?", (table,))

    def remember(self, known: Known) -> None:
        """Write who somebody is."""
        lapsed = msgspec.json.encode(known.lapsed).decode()
        self._db.execute(
            "INSERT OR REPLACE INTO people (person, name, lapsed) VALUES (?, ?, ?)",
            (known.person, known.name, lapsed),
        )

    def forget(self, person: PersonId) -> None:
        """Drop somebody."""
        self._db.execute("DELETE FROM people WHERE person = ?", (person,))

    def note(self, entries: Sequence[Entry]) -> None:
        """Change rows of books."""
        for book, key, value in entries:
            self._db.execute(*(_DROP, (book, key)) if value is None else (_PUT, (book, key, value)))

    def _books(self) -> dict[str, list[tuple[str, bytes]]]:
        rows = self._db.execute("SELECT book, key, value FROM books ORDER BY book, n")
        return {book: [(key, value) for _, key, value in found] for book, found in groupby(rows, itemgetter(0))}

    def _ready(self, folder: Path, number: int) -> OpenFiles:
        """Finish what a killed start or restore has begun, and take note of every file that is open."""
        try:
            generations.adopt(folder)
            generations.move_games(folder, number)
            files = OpenFiles()
            for path in (self._lock.path, folder / CURRENT):
                files.add(path)
            for suffix in ("", "-wal", "-shm"):
                files.add(self.path.with_name(self.path.name + suffix), grows=suffix != "-shm")
        except OSError as error:
            self._db.close()
            raise JournalError(f"The folder {folder} cannot be used: {error.strerror}.") from error
        except StorageLost as lost:
            self._db.close()
            raise JournalError(f"{lost.what}.") from lost
        return files

    def _undo(self) -> None:
        with contextlib.suppress(sqlite3.Error):  # SQLite has rolled back by itself after most errors of the disk
            self._db.execute("ROLLBACK")


def make_folder(folder: Path) -> None:
    """Make a data folder that only its owner can look into: it holds the seeds of running games."""
    try:
        disk.make_folder(folder)
    except OSError as error:
        raise JournalError(f"The folder {folder} cannot be made: {error.strerror}.") from error


def _opened(path: Path) -> sqlite3.Connection:
    _make_file(path)
    db = sqlite3.connect(path, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        _make_ready(db, path)
    except sqlite3.Error as error:
        db.close()
        raise unusable(path, error) from error
    except JournalError:
        db.close()
        raise
    return db


def _make_ready(db: sqlite3.Connection, path: Path) -> None:
    """Bring the file up to date; from now on every commit is on the disk before it returns."""
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA fullfsync = ON")  # a sync that reaches the disk on systems whose plain one does not
    migrate(db, path)
    look_over(db, path)
    db.executescript("BEGIN IMMEDIATE; ROLLBACK;")  # a file that may only be read says so now


def _make_file(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise JournalError(f"The journal {path} cannot be opened: {error.strerror}.") from error


def look_over(db: sqlite3.Connection, path: Path) -> None:
    """Read every page once. Raises JournalError when one is damaged: half a journal is none."""
    (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise damaged(path, verdict.splitlines()[-1])


def _known(row: tuple[Any, ...]) -> Known:
    person, name, lapsed = row
    return Known(person=person, name=name, lapsed=msgspec.json.decode(lapsed, type=tuple[TableId, ...]))
