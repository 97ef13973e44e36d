"""Backups: copies of a data folder, taken while its server runs, and restored. A backup is a data folder itself."""

import contextlib
import logging
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from scoville_runtime.atomic_files import PART, replace_file, sync_folder
from scoville_server.journal.appends import END, END_ROW, end_row
from scoville_server.journal.base import JournalError
from scoville_server.journal.faults import not_copied, unusable_error
from scoville_server.journal.files import alive, disk, generations, key_file
from scoville_server.journal.files.generations import AUDIT, GAMES, GENERATIONS, JOURNAL, UNFINISHED
from scoville_server.journal.files.lock import FolderLock
from scoville_server.journal.files.wal import WriteAheadLog
from scoville_server.journal.inspection import check_complete
from scoville_server.journal.opening import make_folder
from scoville_server.journal.reading import check_database, read_rows
from scoville_server.journal.schema import check_schema, newest_version
from scoville_server.journal.tally import read_column

_log = logging.getLogger(__name__)

_MARK = b"This backup is not finished. Run scoville-server backup again; it begins anew here.\n"
_OF_SYSTEM = {"lost+found"}
"""What the root of a fresh disk may hold: it counts as empty."""


class Copied(NamedTuple):
    """How much a copy holds: tables in the journal, and files of finished games."""

    tables: int
    games: int


def back_up(data: Path, to: Path) -> Copied:
    """Copy a data folder, in use or not, into a new or empty folder. Raises JournalError.

    The journal is copied as it stands at one instant, and before the games: a game leaves the journal only when its
    file is there, so that the copy lacks none. Until all of it is on the disk a file UNFINISHED marks the copy; a
    marked one is used by nothing, and the next backup replaces it.
    """
    number = _source_generation(data)
    if generations.to_move(data, number):
        raise JournalError(
            f"A restore into {data} is not finished; start its server once, or run 'scoville-server restore' again."
        )
    new = _check_target(to)
    make_folder(to)
    try:
        return _fill_copy(data, number, to)
    except BaseException as error:
        with contextlib.suppress(OSError):
            _clear_folder(to)
            if new:
                to.rmdir()
        if isinstance(error, OSError):
            raise _copy_error(to, error) from error
        raise


def _fill_copy(data: Path, number: int, to: Path) -> Copied:
    _clear_folder(to)
    # The mark comes before anything else and goes after everything: a copy without it is complete.
    replace_file(to / UNFINISHED, _MARK, locked=True)
    copied = _copy_generation(data, number, to)
    _copy_audit(data, to)
    key_file.copy_key(data, to)
    (to / UNFINISHED).unlink()
    sync_folder(to)
    return copied


def _check_target(to: Path) -> bool:
    """Return whether a target has to be made. Raises JournalError for one that holds anything else."""
    try:
        if not to.exists():
            return True
        if (to / UNFINISHED).exists():
            return False
        if not to.is_dir() or {path.name for path in to.iterdir()} - _OF_SYSTEM - {UNFINISHED + PART}:
            raise JournalError(f"{to} already exists; a backup needs a new or empty folder.")
    except OSError as error:
        raise _copy_error(to, error) from error
    return False


def _clear_folder(to: Path) -> None:
    """Remove what a backup has written, its mark last."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        (to / (JOURNAL + suffix)).unlink(missing_ok=True)
    shutil.rmtree(to / GAMES, ignore_errors=True)
    (to / AUDIT).unlink(missing_ok=True)
    (to / key_file.KEY).unlink(missing_ok=True)
    (to / (UNFINISHED + PART)).unlink(missing_ok=True)
    (to / UNFINISHED).unlink(missing_ok=True)


def restore_backup(backup: Path, data: Path, *, force: bool) -> Copied:
    """Restore a backup as a data folder that no server is using. Raises JournalError.

    With `force` it takes the place of what is there: the former generation stays as it is, and finished games that the
    backup lacks stay too. Whenever this is killed, the folder has either its former tables or those of the backup.
    """
    number = _source_generation(backup)
    make_folder(data)
    lock = FolderLock(data)
    try:
        if not force and generations.is_occupied(data):
            raise JournalError(f"{data} already has tables or games; use --force to replace them by the backup.")
        return _bring_generation(backup, number, data)
    except OSError as error:
        raise _copy_error(data, error) from error
    finally:
        lock.release_folder()


def _bring_generation(backup: Path, number: int, data: Path) -> Copied:
    """Write the next generation, let the pointer name it, and then move its games to the others."""
    new = generations.next_number(data)
    folder = generations.folder_of(data, new)
    disk.make_folder(folder)
    try:
        copied = _copy_generation(backup, number, folder)
        _copy_audit(backup, folder)
        key_file.copy_key(backup, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            (data / GENERATIONS).rmdir()
        raise
    # The names of the new folders too, or the pointer could survive a crash that they do not.
    sync_folder(folder.parent)
    sync_folder(data)
    generations.publish_generation(data, new)
    try:
        generations.move_generation(data, new)
    except OSError as error:
        raise JournalError(
            f"The tables were restored to {data}, but not yet all finished games: {error.strerror}. Fix that; the "
            "next start of the server restores the rest."
        ) from error
    return copied


def _source_generation(folder: Path) -> int:
    """Find the generation to copy. Raises JournalError."""
    number = generations.current_generation(folder)
    if number is None:
        raise JournalError(f"There is no Scoville journal in {folder}: the file {JOURNAL} is missing.")
    return number


def _copy_generation(source: Path, number: int, target: Path) -> Copied:
    """Copy a generation's journal and the finished games into a folder, onto the disk."""
    journal = generations.journal_of(source, number)
    before, note = _identity_of(journal), alive.read_note(source, number)
    tables = _copy_journal(journal, note, target / JOURNAL)
    # A restore may have replaced the journal meanwhile; the copy would mix two generations.
    if _identity_of(journal) != before or generations.current_generation(source) != number:
        raise JournalError(f"The journal {journal} was replaced while it was copied; try again.")
    games = _copy_games(source / GAMES, target / GAMES)
    disk.sync_file(target / JOURNAL)
    sync_folder(target)
    return Copied(tables, games)


def _copy_audit(source: Path, target: Path) -> None:
    """Copy the audit log, if there is one."""
    with contextlib.suppress(FileNotFoundError):
        disk.copy_file(source / AUDIT, target / AUDIT)


def _identity_of(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise JournalError(f"The journal {path} can no longer be reached: {error.strerror}.") from error
    return found.st_dev, found.st_ino


def _copy_journal(source: Path, note: alive.Note | None, target: Path) -> int:
    """Copy a journal as it stands at this instant, look the copy over, and count its tables."""
    # Made here with its rights: SQLite goes by the umask, and the journal holds the seeds of running games.
    os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with closing(_connect_read_only(source)) as db:
            schema = check_schema(db, source, newest_version())
            log = WriteAheadLog(source)  # as long as the journal is open here, nobody deletes it
            try:
                return _copy_database(db, source, target, note, schema, log)
            except sqlite3.Error as error:
                raise not_copied(source, target.parent, error) from error
    except sqlite3.Error as error:
        raise unusable_error(source, error) from error


def _copy_database(
    db: sqlite3.Connection, source: Path, target: Path, note: alive.Note | None, schema: int, log: WriteAheadLog
) -> int:
    """Copy a database and count its tables; damaged rows of this schema are copied as they are, with a warning."""
    with closing(_connect_read_only(target)) as copy:
        db.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, complete by itself
        check_database(copy, source)
        if schema < newest_version():
            return _count_tables(copy, sealed=False)
        rows = read_rows(copy)
        for damage in rows.damage:
            _log.warning("The copied journal has a damaged row. At the next start: %s", damage.sentence)
        # The copy is checked and not the source: this is what a host relies on after a loss.
        check_complete(source, log, rows.tally, note, schema)
        if rows.tally is not None:
            _close_copy(copy)
        return _count_tables(copy, sealed=True)


def _close_copy(copy: sqlite3.Connection) -> None:
    """Let a copy say that it is complete without a log, unlike its source, which a server may have open."""
    count, column = copy.execute("SELECT n, record FROM recent WHERE number = ?", (END,)).fetchone()
    tally, mark = read_column(column)
    copy.execute(END_ROW, end_row(count, tally._replace(closed=True).as_column(mark)))


def _count_tables(db: sqlite3.Connection, *, sealed: bool) -> int:
    """Count the tables of a journal; an old one has no recent records."""
    tables = "SELECT table_id FROM records"
    if sealed:
        tables += " UNION ALL SELECT table_id FROM recent WHERE table_id != ''"
    count: int = db.execute(f"SELECT count(DISTINCT table_id) FROM ({tables})").fetchone()[0]  # noqa: S608 - our own
    return count


def _connect_read_only(path: Path) -> sqlite3.Connection:
    """Open a database that is there."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, isolation_level=None)


def _copy_games(source: Path, target: Path) -> int:
    """Copy finished games; one that its server removes meanwhile is passed over."""
    # Listed after the journal was copied: a game that left it in between has its file by now.
    games = sorted(source.glob("*.jsonl"))
    disk.make_folder(target)
    copied = 0
    for game in games:
        with contextlib.suppress(FileNotFoundError):
            disk.copy_file(game, target / game.name)
            copied += 1
    sync_folder(target)
    return copied


def _copy_error(folder: Path, error: OSError) -> JournalError:
    return JournalError(f"The copy to {folder} failed: {error.strerror}. Nothing there was replaced.")
