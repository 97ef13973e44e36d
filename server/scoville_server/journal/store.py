"""The journal on disk: SQLite in WAL mode, every commit synced, every row sealed. Knows no thread and no event loop."""

import contextlib
import logging
import os
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from scoville_runtime.atomic_files import sync_folder
from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.events import write_event
from scoville_server.events import Damage, ReportDamage
from scoville_server.identity import ServerKey
from scoville_server.journal.appends import END_ROW, HEAD, Appends, end_row, head_row, mark_of
from scoville_server.journal.base import START, CommitFailed, FolderUnreachable, JournalError, StorageLost
from scoville_server.journal.contents import JournalContents
from scoville_server.journal.faults import (
    convert_errors,
    hinders_all_writes,
    is_full,
    left_nothing,
    not_saved,
    outcome_unknown,
    sentence_of,
    unusable_error,
)
from scoville_server.journal.files import alive, disk, generations, key_file, version_file
from scoville_server.journal.files.alive import NoteFile
from scoville_server.journal.files.generations import CURRENT, Missing
from scoville_server.journal.files.lock import LOCK, FolderLock
from scoville_server.journal.files.open_files import OpenFiles, Reserve
from scoville_server.journal.inspection import check_rows, inspect_file
from scoville_server.journal.opening import (
    PATIENCE_SECONDS,
    keep_copy,
    make_folder,
    make_journal,
    name_journal,
    open_journal,
    verify_database,
)
from scoville_server.journal.reading import Rows, read_rows
from scoville_server.journal.schema import mark_again, newest_version
from scoville_server.journal.seals import SUMS, Tally, new_tally, number_of, seal_record, seal_row
from scoville_server.journal.statements import PUT, REMEMBER, Statements

_APPEND = "INSERT INTO records (table_id, n, record, seal) VALUES (?, ?, ?, ?)"


def write_undamaged(
    folder: Path, former: Path, rows: Rows, note: alive.Note | None, report_damage: ReportDamage = write_event
) -> int:
    """Write the good rows of a journal into the next generation, which is the current one then; returns its number.

    Raises JournalError. `note` names the newest commit that the server has acknowledged.
    """
    for damage in rows.damage:
        report_damage(Damage(path=str(former), reason=damage.sentence))
    noted = 0 if note is None else note.commits or 0
    # Never fewer than were acknowledged, or the next start would miss commits that are left out on purpose.
    commits = max(noted, 0 if rows.tally is None else rows.tally.commits)
    try:
        number = generations.next_number(folder)
        path = generations.journal_of(folder, number)
        generations.make_folder_of(folder, number)
        _write_rows(path, rows, commits)
        sync_folder(path.parent.parent)
        sync_folder(folder)
        generations.publish_generation(folder, number)
    except (OSError, sqlite3.Error) as error:
        raise JournalError(f"The undamaged rows of {former} cannot be written to a new journal: {error}.") from error
    return number


def _write_rows(path: Path, rows: Rows, commits: int) -> None:
    """Make a journal of these rows, complete in one file and on the disk. Raises sqlite3.Error, OSError."""
    newest_of = {row[0]: row for row in rows.records}
    records = [(*row, seal_row("records", *row)) for row in rows.records]
    users = [(*row, seal_row("users", *row)) for row in rows.users]
    seals = [row[-1] for row in (*records, *users, *rows.books)]
    # The same server as before: its note and its backups still belong to it.
    identity = new_tally().identity if rows.tally is None else rows.tally.identity
    tally = Tally(identity, commits, len(seals), sum(map(number_of, seals)) % SUMS, closed=True)
    make_journal(path)
    name_journal(path)
    with contextlib.closing(open_journal(path)) as db:
        db.execute("BEGIN")
        db.executemany(_APPEND, records)
        db.executemany(
            HEAD,
            [head_row(table, n, mark_of(seal_record(table, n, record))) for table, n, record in newest_of.values()],
        )
        db.executemany(REMEMBER, users)
        db.executemany(PUT, [row[:-1] for row in rows.books])
        db.execute(END_ROW, end_row(0, tally.as_column(START)))
        db.execute("COMMIT")
    disk.sync_file(path)
    sync_folder(path.parent)


class LogSpace:
    """The log of an open journal, and the reserve into which it fits."""

    def __init__(self, db: sqlite3.Connection, files: OpenFiles, reserve: Reserve, journal: Path) -> None:
        self._db = db
        self._files = files
        self._reserve = reserve
        self._journal, self._path = journal, journal.with_name(journal.name + "-wal")

    def fold_log(self, statements: Statements) -> None:
        """Fold the log into the file, as far as no other program reads it; empty it after a user was deleted."""
        with contextlib.suppress(sqlite3.Error, StorageLost, FolderUnreachable):
            self._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            # Deleted rows are still in the log.
            statements.has_deleted_user = statements.has_deleted_user and not self._fold_all()

    def fold_mark(self, *, left_open: bool) -> None:
        """Fold the log with the mark that the journal is open. Raises sqlite3.Error, JournalError.

        On a full disk it stays in the log of a server that has `left_open` the journal: the file has its mark.
        """
        try:
            busy, *_ = self._db.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
        except sqlite3.Error as error:
            if not (left_open and is_full(error)):
                raise
            return
        if busy:
            raise JournalError(
                f"The journal {self._journal} cannot be used: another program has locked it; stop that program."
            )

    def renew_reserve(self) -> None:
        """Renew the reserve after a commit, and let the log become no longer than that allows."""
        if self._reserve.renew_reserve(self._files.size_of(self._path)):
            self._db.execute(f"PRAGMA wal_autocheckpoint = {self._reserve.count_pages()}")

    def make_room(self) -> bool:
        """Fold in and empty the log on a full disk, if need be in the reserve's space; returns whether it worked."""
        try:
            return self._fold_all() or (self._reserve.release_reserve() and self._fold_all())
        except (sqlite3.Error, StorageLost):
            return False

    def _fold_all(self) -> bool:
        """Fold the whole log into the file, and empty it; returns whether there was space. Raises sqlite3.Error."""
        try:
            self._db.execute("PRAGMA busy_timeout = 0")  # a move waits for this
            busy, *_ = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            if is_full(error):
                return False
            raise
        finally:
            self._db.execute(f"PRAGMA busy_timeout = {round(PATIENCE_SECONDS * 1000)}")
        # Noted at once, or the next check takes the shorter log for another program's work.
        self._files.note_shrunk(self._path)
        if busy:  # releasing the reserve would not help, and the next commit would use it up
            raise sqlite3.OperationalError("another program reads the log")
        return True


_log = logging.getLogger(__name__)


class Store:
    """The journal of one data folder, which this process has locked.

    To be used by one thread at a time. Raises JournalError with a sentence for the host. `leave_out_damaged` continues
    without damaged rows that protect players, and without what is missing or stood in a damaged write-ahead log. With
    `look_only` nothing in the folder is changed before `open`.
    """

    key: ServerKey
    path: Path
    statements: Statements
    _db: sqlite3.Connection
    _appends: Appends
    _files: OpenFiles

    def __init__(
        self,
        folder: Path,
        *,
        leave_out_damaged: bool = False,
        clock: Clock = SYSTEM,
        look_only: bool = False,
        report_damage: ReportDamage = write_event,
    ) -> None:
        self._clock, self._report_damage = clock, report_damage
        self._folder = folder
        self._leave_out_damaged = leave_out_damaged
        self._opened = self._doubtful = self._left_open = False
        self._note: NoteFile | None = None
        self._reserve = Reserve(folder)
        self._rows: Rows | None = None
        """Rows that the inspection has read, until the journal is written."""
        self._made = not os.path.isdir(folder)  # noqa: PTH112 - takes one that may not be read for one that is there
        self._lock: FolderLock | None = None
        make_folder(folder)
        try:
            self._lock = FolderLock(folder)
            self._inspect_file()
            if not look_only:
                self.open()
        except BaseException:
            self._give_up()
            raise

    def load_rows(self) -> JournalContents:
        """Read everything. Damaged rows are left out, with a sentence each in the server's log.

        Raises JournalError for damaged rows that protect players, and for a file that cannot be read.
        """
        if self._rows is None and self._opened:
            with convert_errors(self.path):
                self._rows = read_rows(self._db)
            check_rows(self.path, self._rows, self._report_damage, leave_out_damaged=self._leave_out_damaged)
            self._leave_damage_behind()
        kept = JournalContents({}, []) if self._rows is None else self._rows.as_kept()
        kept = kept._replace(alive_ms=self._alive_ms, key=self.key)
        if self._opened:
            self.order_recent()
        return kept

    def open(self) -> None:
        """Make the folder ready for writing: nothing stands in the way of that but the disk."""
        self.path = generations.journal_of(self._folder, self._number)
        rows = self._rows
        if self._new:
            make_journal(self.path)
            key_file.write_key(self._folder, self.key)
            name_journal(self.path)  # last: a journal without a key has lost it
        elif rows is not None and (rows.damage or rows.incomplete):
            self._leave_damage_behind()
            rows = self._rows
        elif self._schema < self._version:
            keep_copy(self.path, self._schema, self.key)
        version_file.write_version(self._folder)  # after the copy, which names the former version
        if not self._opened:
            self._open_with_reserves()
        self._rows = rows

    def _open_with_reserves(self) -> None:
        """Open the journal, on a full disk in the space of the reserves. Raises JournalError."""
        releases = self._reserve.release_by_steps()
        while True:
            try:
                self._open_generation(self._number)
                break
            except JournalError as error:
                if not is_full(error) or not next(releases, False):
                    raise
        self._reserve.take_back()

    def order_recent(self) -> None:
        """Order the recent records by table."""
        self._rows = None
        self._order_records()

    def _inspect_file(self) -> None:
        """Read the folder, and change nothing. Raises JournalError when it is not for this version to use."""
        folder = self._folder
        number = _current_generation(folder, leave_out_damaged=self._leave_out_damaged)
        generations.report_unfinished(folder, number)
        self._number, self._new = number or 0, number is None
        self._alive_ms: int | None = None
        self._schema = self._version = newest_version()
        self._found_note: alive.Note | None = None
        if number is None:
            self.key = key_file.find_key(folder) or ServerKey.new_key()
            return
        path = generations.journal_of(folder, number)
        note = alive.read_note(folder, number)
        found = inspect_file(path, note, self._report_damage, leave_out_damaged=self._leave_out_damaged)
        self.key = key_file.expected_key(generations.folder_of(folder, number), folder)
        self._rows, self._schema, self._found_note = found.rows, found.schema, note
        tally = None if found.rows is None else found.rows.tally
        self._left_open = tally is not None and not tally.closed
        self._alive_ms = (note.alive_ms or None) if note is not None else None

    def _give_up(self) -> None:
        """Release the folder after a start that was refused; before `open` it is as it was."""
        if self._opened:
            self._close_files()
        if self._lock is not None:
            self._lock.release_folder(undo=not self._opened)
        if self._made:
            with contextlib.suppress(OSError):  # a folder with other files stays
                self._folder.rmdir()

    def commit_writes(self, writes: Iterable[Callable[[Statements], Any]]) -> list[Any]:
        """Carry out writes in one transaction, all or none; returns what each returns.

        Raises JournalError when the disk, the file or another program is at fault, which no write can help, and
        whatever a write raises by its own fault. Nothing has happened then, unless the code is `outcome_unknown` or
        `storage_lost`. After `outcome_unknown` nothing else is written before it is certain that it has not happened.
        """
        writes = [*writes]
        try:
            return self._commit_once(writes)
        except JournalError as error:
            # Tried once more after space was made on a full disk, but never while the first attempt may have happened.
            if self._doubtful or not is_full(error) or not self._space.make_room():
                raise
        return self._commit_once(writes)

    def _commit_once(self, writes: Iterable[Callable[[Statements], Any]]) -> list[Any]:
        # The inspection has read a journal that nobody had written to.
        self._rows = None
        self._files.check_files()  # also before: another process may have the folder by now
        self._settle_doubt()
        try:
            results = [write(self.statements) for write in writes]
            # Records alone, the usual commit, need no BEGIN and COMMIT: one statement is a transaction by itself.
            if self._db.in_transaction or not self._appends.fits_recent:
                self.statements.begin_transaction()
                self._appends.insert_waiting()
        # Whatever it was: an open transaction would hold up all later writes.
        except BaseException as error:
            self._roll_back()
            if hinders_all_writes(error):
                self._files.check_files()
                raise not_saved() from error
            raise

        try:
            if self._db.in_transaction:
                self._db.execute("COMMIT")
            else:  # one statement that is a transaction by itself
                self._appends.insert_waiting()
        except sqlite3.Error as error:
            self._roll_back()
            self._doubtful = not left_nothing(error)
            self._files.check_files(written=self._doubtful)
            try:  # to make certain that it has not happened
                self._settle_doubt()
            except JournalError:
                raise outcome_unknown() from error
            raise not_saved() from error
        self._appends.settle_commit()
        self._files.check_files(written=True)
        self._note_commit()
        self._space.renew_reserve()
        return results

    def _note_commit(self) -> None:
        """Note the newest commit beside the journal, after it: a crash between the two is no loss."""
        if self._note is not None:
            tally = self._appends.tally
            self._note.note_commit(tally.commits, self._version, tally.identity)

    def fold_log(self) -> None:
        """Fold the log into the file, as far as no other program reads it: a copy of the file alone lacks less."""
        self._space.fold_log(self.statements)

    def _settle_doubt(self) -> None:
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
            sound = verify_database(self.path)
        except (sqlite3.Error, JournalError) as error:
            self._roll_back()
            raise not_saved() from error
        if not sound:
            self._files.report_lost(f"{self.path} is damaged since its disk failed")
        self._files.check_files()
        self._doubtful = False

    def close(self) -> None:
        """Order all records by table, fold the write-ahead log into the file, and release the folder."""
        if not self._opened:
            self._give_up()
            return
        self._order_records()
        with contextlib.suppress(JournalError, sqlite3.Error):  # else the next start expects the log, which is there
            self._mark_closed(closed=True)
        self._close_files()
        if self._note is not None:
            self._note.close()
        assert self._lock is not None
        self._lock.release_folder()

    def _mark_closed(self, *, closed: bool) -> None:
        """Commit whether the file is complete without a log."""

        def mark(statements: Statements) -> None:
            statements.begin_transaction()
            self._appends.count_closing(closed=closed)

        self.commit_writes([mark])

    def _order_records(self) -> None:
        """Move recent records to where they are ordered by table; if that fails, they are found where they are."""
        with contextlib.suppress(JournalError, sqlite3.Error):
            if self._appends.is_unordered:
                self.commit_writes([Statements.order_records])

    # --- opening ----------------------------------------------------------------------------------------

    def _open_generation(self, number: int) -> None:
        self._number = number
        self._doubtful = False
        self.path = generations.journal_of(self._folder, number)
        self._db, self._files = open_journal(self.path), OpenFiles(self._clock.date_ms)
        self._appends = Appends(self._db)
        try:
            self.key = _prepare_files(self._files, self._folder, number)
            self.statements = Statements(self.path, self._db, self._appends)
            self._space = LogSpace(self._db, self._files, self._reserve, self.path)
            self._begin_notes()
            self._opened = True
        except sqlite3.Error as error:
            self._close_files()
            raise unusable_error(self.path, error) from error
        except BaseException:
            self._close_files()
            raise

    def _close_files(self) -> None:
        self._db.close()
        self._files.close_folders()

    def _begin_notes(self) -> None:
        """Let the file itself say that it is incomplete without its log, before anything else is in that."""
        self._note = self.statements.note = NoteFile(self._folder, self._number, self._alive_ms)
        # First: a journal that is not closed and has no note beside it is a part of a copy, and is refused.
        self._note_commit()
        self._note.sync_note()
        # Some file systems cannot sync a folder.
        with contextlib.suppress(OSError):
            sync_folder(self._folder)
        try:
            self._mark_closed(closed=False)
        except CommitFailed as error:
            raise JournalError(f"The journal {self.path} cannot be used: {sentence_of(error)}.") from error
        self._space.fold_mark(left_open=self._left_open)
        self._note_commit()

    def _leave_damage_behind(self) -> None:
        """Write the good rows into a generation of their own: among damaged ones SQLite might not find them again."""
        rows, former, note = self._rows, self.path, self._found_note
        if rows is None or not (rows.damage or rows.incomplete):
            return
        number = write_undamaged(self._folder, former, rows, note, self._report_damage)
        if self._opened:
            self._close_files()
        self._open_generation(number)
        self._rows = rows._replace(damage=[], incomplete="")
        kept = generations.former_place(self._folder, former)
        sentence = f"This server continues with {self.path}. The damaged journal is kept as {kept}."
        self._report_damage(Damage(path=str(former), reason=sentence))

    def _roll_back(self) -> None:
        self._appends.forget_uncommitted()
        with contextlib.suppress(sqlite3.Error):  # SQLite has rolled back by itself after most errors of the disk
            self._db.execute("ROLLBACK")


def _prepare_files(files: OpenFiles, folder: Path, number: int) -> ServerKey:
    """Finish the work of a killed start or restore, and take note of every open file; returns the key."""
    try:
        generations.adopt_folder(folder)
        generations.move_generation(folder, number)
        key_file.protect_key(folder)
        key, journal = key_file.load_key(folder), generations.journal_of(folder, number)
        for path in (folder / LOCK, folder / CURRENT, folder / key_file.KEY):
            files.watch_file(path)
        for suffix in ("", "-wal", "-shm"):
            files.watch_file(journal.with_name(journal.name + suffix), grows=suffix != "-shm")
    except OSError as error:
        raise JournalError(f"The folder {folder} cannot be used: {error.strerror}.") from error
    except StorageLost as lost:
        raise JournalError(f"{lost.what}.") from lost
    return key


def _current_generation(folder: Path, *, leave_out_damaged: bool) -> int | None:
    """Find the generation in use, None in a new folder. Raises JournalError."""
    try:
        return generations.current_generation(folder)
    except Missing:
        if leave_out_damaged and generations.has_key_alone(folder):
            return None
        raise
