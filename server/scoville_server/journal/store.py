"""The journal on disk: SQLite in WAL mode, every commit synced, every row sealed. Knows no thread and no event loop."""

import contextlib
import logging
import sqlite3
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path
from typing import Any

from scoville_server.clock import SYSTEM, Clock
from scoville_server.identity.key import ServerKey
from scoville_server.journal.appends import HEAD, Appends, head_row, mark_of
from scoville_server.journal.base import JournalError, Kept, StorageLost
from scoville_server.journal.faults import (
    damaged,
    is_everybodys,
    left_nothing,
    not_saved,
    outcome_unknown,
    protected,
    unusable,
)
from scoville_server.journal.files import alive, disk, generations, key_file
from scoville_server.journal.files.generations import CURRENT
from scoville_server.journal.files.lock import FolderLock
from scoville_server.journal.files.open_files import OpenFiles
from scoville_server.journal.opening import make_folder, open_journal, verify
from scoville_server.journal.reading import Rows, read
from scoville_server.journal.schema import mark_again
from scoville_server.journal.seals import seal, seal_record
from scoville_server.journal.statements import PUT, REMEMBER, Statements

_log = logging.getLogger(__name__)

_APPEND = "INSERT INTO records (table_id, n, record, seal) VALUES (?, ?, ?, ?)"


class Store(Statements):
    """The journal of one data folder, which this process has locked.

    To be used by one thread at a time. Raises JournalError with a sentence for the host. `leave_out_damaged` continues
    without damaged rows that protect players, and without what stood in a damaged write-ahead log.
    """

    key: ServerKey
    _files: OpenFiles

    def __init__(self, folder: Path, *, leave_out_damaged: bool = False, clock: Clock = SYSTEM) -> None:
        self._clock = clock
        make_folder(folder)
        self._folder = folder
        self._leave_out_damaged = leave_out_damaged
        self._lock = FolderLock(folder)
        try:
            number = generations.current(folder)
            generations.report_unfinished(folder, number)
            if number is None and key_file.find(folder) is None:
                key_file.make(folder)  # before the journal: one without a key has lost it
            self._open(number or 0)
        except BaseException:
            self._lock.release()
            raise

    def load(self) -> Kept:
        """Read everything. Damaged rows are left out, with a sentence each in the server's log.

        Raises JournalError for damaged rows that protect players, and for a file that cannot be read.
        """
        try:
            rows = read(self._db)
        except sqlite3.Error as error:
            raise unusable(self.path, error) from error
        except (TypeError, ValueError, OverflowError, MemoryError) as error:  # SQLite answers nonsense
            raise damaged(self.path, str(error) or type(error).__name__) from error
        sentences = [damage.sentence for damage in rows.damage if damage.protects]
        if sentences and not self._leave_out_damaged:
            raise protected(self.path, sentences)
        alive_ms = alive.read(self._folder, self._number)
        if rows.damage:
            self._rewrite_without(rows)
        else:
            self._order()
        return rows.kept()._replace(alive_ms=alive_ms, key=self.key)

    def commit(self, writes: Iterable[Callable[["Store"], Any]]) -> list[Any]:
        """Carry out writes in one transaction, all or none; returns what each returns.

        Raises JournalError when the disk, the file or another program is at fault, which no write can help, and
        whatever a write raises by its own fault. Nothing has happened then, unless the code is `outcome_unknown` or
        `storage_lost`. After `outcome_unknown` nothing else is written before it is certain that it has not happened.
        """
        self._files.check()
        self._settle()
        try:
            results = [write(self) for write in writes]
            if self._db.in_transaction or not self._appends.fits:
                self._begin()
                self._appends.flush()
        except BaseException as error:
            self._undo()
            if is_everybodys(error):
                raise not_saved() from error
            raise
        try:
            self._finish()
        except sqlite3.Error as error:
            self._undo()
            self._doubtful = not left_nothing(error)
            raise self._settled() from error
        self._files.check()
        return results

    def _finish(self) -> None:
        """End the transaction; without one, insert the new records by a statement that is a transaction by itself."""
        if self._db.in_transaction:
            self._db.execute("COMMIT")
        else:
            self._appends.flush()

    def _settled(self) -> JournalError:
        """Return the error of a failed commit, after an attempt to make certain that it has not happened."""
        try:
            self._settle()
        except JournalError:
            return outcome_unknown()
        return not_saved()

    def _settle(self) -> None:
        """Make certain that a doubtful commit has not happened. Raises JournalError when that cannot be done now.

        When a sync fails, SQLite forgets the transaction, but all of it may be in the log, and the next start would
        replay it. To sync again proves nothing: the system may have dropped the pages and report success. A commit of
        something else takes the same place in the log, with a sync of its own; then the whole journal is read again.
        """
        if not self._doubtful:
            return
        try:
            mark_again(self._db)
            self._db.execute("PRAGMA wal_checkpoint(FULL)").fetchall()
            sound = verify(self.path)
        except (sqlite3.Error, JournalError) as error:
            self._undo()
            raise not_saved() from error
        if not sound:
            self._files.lose(f"{self.path} is damaged since its disk failed")
        self._files.check()
        self._doubtful = False

    def close(self) -> None:
        """Order all records by table, fold the write-ahead log into the file, and release the folder."""
        self._order()
        self._db.close()
        self._lock.release()

    def _order(self) -> None:
        """Move recent records to where they are ordered by table; if that fails, they are found where they are."""
        with contextlib.suppress(JournalError, sqlite3.Error):
            if self._appends.unordered:
                self.commit([Statements.order])

    def beat(self, now_ms: int) -> None:
        """Note that the server is alive; nothing of it is part of the commit."""
        alive.note(self._folder, self._number, now_ms)

    # --- opening ----------------------------------------------------------------------------------------

    def _open(self, number: int) -> None:
        self._number = number
        self._doubtful = False
        self.path = generations.journal_of(self._folder, number)
        self._db = open_journal(self.path, leave_out_damaged=self._leave_out_damaged)
        self._appends = Appends(self._db)
        try:
            self._files = self._ready(number)
            self._users = count(self._after("SELECT max(number) FROM users"))
            self._rows = count(self._after("SELECT max(n) FROM books"))
        except sqlite3.Error as error:
            self._db.close()
            raise unusable(self.path, error) from error
        except BaseException:
            self._db.close()
            raise

    def _ready(self, number: int) -> OpenFiles:
        """Finish what a killed start or restore has begun, and take note of every file that is open."""
        try:
            generations.adopt(self._folder)
            generations.move(self._folder, number)
            self.key = key_file.load(self._folder)
            files = OpenFiles(self._clock.date_ms)
            for path in (self._lock.path, self._folder / CURRENT, self._folder / key_file.KEY):
                files.add(path)
            for suffix in ("", "-wal", "-shm"):
                files.add(self.path.with_name(self.path.name + suffix), grows=suffix != "-shm")
        except OSError as error:
            raise JournalError(f"The folder {self._folder} cannot be used: {error.strerror}.") from error
        except StorageLost as lost:
            raise JournalError(f"{lost.what}.") from lost
        return files

    def _after(self, query: str) -> int:
        """Return the number after the highest one that a query finds."""
        (highest,) = self._db.execute(query).fetchone()
        return highest + 1 if isinstance(highest, int) else 1

    def _rewrite_without(self, rows: Rows) -> None:
        """Write the good rows into a generation of their own: among damaged ones SQLite might not find them again."""
        former = self.path
        for damage in rows.damage:
            _log.error("%s", damage.sentence)
        try:
            number = generations.next_number(self._folder)
            path = generations.journal_of(self._folder, number)
            disk.make_folder(path.parent)
            _write(path, rows)
            disk.sync_folder(path.parent.parent)
            disk.sync_folder(self._folder)
            generations.publish(self._folder, number)
        except (OSError, sqlite3.Error) as error:
            raise JournalError(
                f"The undamaged rows of {former} cannot be written to a new journal: {error}."
            ) from error
        self._db.close()
        self._open(number)
        _log.error(
            "%s is damaged: this server continues with %s. The damaged journal is left in place.", former, self.path
        )

    def _undo(self) -> None:
        self._appends.undo()
        with contextlib.suppress(sqlite3.Error):  # SQLite has rolled back by itself after most errors of the disk
            self._db.execute("ROLLBACK")


def _write(path: Path, rows: Rows) -> None:
    """Make a journal of these rows, complete in one file and on the disk. Raises sqlite3.Error, OSError."""
    newest = {row[0]: row for row in rows.records}
    with contextlib.closing(open_journal(path)) as db:
        db.execute("BEGIN")
        db.executemany(_APPEND, [(*row, seal("records", *row)) for row in rows.records])
        db.executemany(
            HEAD, [head_row(table, n, mark_of(seal_record(table, n, record))) for table, n, record in newest.values()]
        )
        db.executemany(REMEMBER, [(*row, seal("users", *row)) for row in rows.users])
        db.executemany(PUT, [row[:-1] for row in rows.books])
        db.execute("COMMIT")
    disk.sync(path)
    disk.sync_folder(path.parent)
