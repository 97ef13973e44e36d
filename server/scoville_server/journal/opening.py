"""Opening a journal's file for writing, once it was inspected: made when it is new, and ready for synced commits."""

import logging
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from scoville_runtime.atomic_files import PART, replace_file, sync_folder
from scoville_server.identity import ServerKey
from scoville_server.journal.base import JournalError
from scoville_server.journal.faults import damage_error, unusable_error
from scoville_server.journal.files import disk, key_file
from scoville_server.journal.files.generations import data_folder_of
from scoville_server.journal.files.version_file import copy_version, read_version
from scoville_server.journal.files.wal import WriteAheadLog
from scoville_server.journal.inspection import image_of
from scoville_server.journal.reading import check_database, read_rows
from scoville_server.journal.schema import copy_place, migrate_schema, newest_version
from scoville_server.journal.seals import register_functions
from scoville_shared import __version__

_log = logging.getLogger(__name__)

PATIENCE_SECONDS = 2.0
"""How long a commit waits for another program that holds the file: longer than a backup's glance at it."""


def make_journal(path: Path) -> None:
    """Make a journal without rows. It gets its name when it is complete: a copy of it is never an empty shell.

    Raises JournalError.
    """
    part = unfinished_path(path)
    try:
        part.unlink(missing_ok=True)
        os.close(disk.make_file(part, os.O_RDWR))
        with closing(sqlite3.connect(part, isolation_level=None)) as db:
            register_functions(db)
            migrate_schema(db, part)
        # On the disk before it gets its name, or a crash could leave the name of an empty file.
        disk.sync_file(part)
    except sqlite3.Error as error:
        raise unusable_error(path, error) from error
    except OSError as error:
        raise JournalError(f"The journal {path} cannot be made: {error.strerror}.") from error


def unfinished_path(path: Path) -> Path:
    """Return the name of a journal that is being made."""
    return path.with_name(path.name + PART)


def name_journal(path: Path) -> None:
    """Give a journal that was made its name. Raises JournalError."""
    try:
        unfinished_path(path).replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise JournalError(f"The journal {path} cannot be made: {error.strerror}.") from error


def keep_copy(path: Path, schema: int, key: ServerKey) -> None:
    """Copy a journal of an older schema as it is, and the key: a backup for the former version. Raises JournalError."""
    data = data_folder_of(path)
    folder, former = copy_place(data), read_version(data)
    image = image_of(path, WriteAheadLog(path))
    try:
        disk.make_folder(folder)
        copy_version(data, folder)
        replace_file(folder / path.name, image, locked=True)
    except OSError as error:
        raise JournalError(
            f"The journal {path} cannot be copied to {folder} before it is brought up to date: {error.strerror}. It is "
            "unchanged."
        ) from error
    key_file.write_key(folder, key)
    _log.warning(
        "The journal of Scoville%s (schema %s) becomes one of %s (schema %s), which the former version cannot read. To "
        "return to that, restore the copy in %s.",
        f" {former}" if former else "", schema, __version__, newest_version(), folder,
    )  # fmt: skip


def open_journal(path: Path) -> sqlite3.Connection:
    """Open a journal that was inspected. Raises JournalError with a sentence for the host if it cannot be written."""
    db = sqlite3.connect(path, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        _make_ready(db, path)
    except sqlite3.Error as error:
        db.close()
        raise unusable_error(path, error) from error
    except (TypeError, ValueError, OverflowError, MemoryError) as error:  # SQLite answers nonsense
        db.close()
        raise damage_error(path, str(error) or type(error).__name__) from error
    except BaseException:
        db.close()
        raise
    return db


def _make_ready(db: sqlite3.Connection, path: Path) -> None:
    """Bring the file up to date; from now on every commit is on the disk before it returns."""
    register_functions(db)
    db.execute("PRAGMA journal_mode = WAL")
    # In this mode a commit of the log syncs; NORMAL would acknowledge moves that a crash of the machine loses.
    db.execute("PRAGMA synchronous = FULL")
    # Deleted rows are overwritten: a deleted account must not be readable in pages that are free.
    db.execute("PRAGMA secure_delete = ON")
    db.execute("PRAGMA fullfsync = ON")  # a sync that reaches the disk on systems whose plain one does not
    migrate_schema(db, path)
    db.executescript("BEGIN IMMEDIATE; ROLLBACK;")  # a file that may only be read says so now


def verify_database(path: Path) -> bool:
    """Read a journal that is in use once more, from the disk as far as the system allows; return whether it is sound.

    Raises sqlite3.Error when it cannot be read.
    """
    with closing(sqlite3.connect(path, timeout=PATIENCE_SECONDS, isolation_level=None)) as db:
        try:
            check_database(db, path)
        except JournalError:
            return False
        rows = read_rows(db)
        return not rows.damage and not rows.incomplete


def make_folder(folder: Path) -> None:
    """Make a data folder that only its owner can look into: it holds the seeds of running games."""
    try:
        disk.make_folder(folder)
    except OSError as error:
        if os.path.lexists(folder) and not folder.is_dir():
            raise JournalError(f"{folder} is a file; the data of a server needs a folder.") from error
        raise JournalError(f"The folder {folder} cannot be created: {error.strerror}.") from error
