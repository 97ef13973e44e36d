"""Opening a journal's file: created when it is new, checked when it is not, and ready for synced commits."""

import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

from scoville_server.journal.base import JournalError
from scoville_server.journal.faults import damaged, unusable
from scoville_server.journal.files import disk, wal
from scoville_server.journal.reading import read
from scoville_server.journal.schema import check_structure, migrate
from scoville_server.journal.seals import register_functions

PATIENCE_SECONDS = 2.0
"""How long a commit waits for another program that holds the file: longer than a backup's glance at it."""

_OF_ROWS = re.compile(r"row \d+ missing|row not in PRIMARY KEY order|NULL value in|non-|TEXT value in|NUMERIC value in")
"""Verdicts of SQLite about rows that are altered but readable: their seals are more precise."""
_MANY = 1000


def open_journal(path: Path, *, leave_out_damaged: bool = False) -> sqlite3.Connection:
    """Open a journal, new or not. Raises JournalError with a sentence for the host if the file cannot be used."""
    wal.check(path, leave_out_damaged=leave_out_damaged)
    _make_file(path)
    db = sqlite3.connect(path, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        _make_ready(db, path)
    except sqlite3.Error as error:
        db.close()
        raise unusable(path, error) from error
    except (TypeError, ValueError, OverflowError, MemoryError) as error:  # SQLite answers nonsense
        db.close()
        raise damaged(path, str(error) or type(error).__name__) from error
    except BaseException:
        db.close()
        raise
    return db


def _make_ready(db: sqlite3.Connection, path: Path) -> None:
    """Bring the file up to date; from now on every commit is on the disk before it returns."""
    register_functions(db)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA fullfsync = ON")  # a sync that reaches the disk on systems whose plain one does not
    migrate(db, path)
    check_structure(db, path)
    check_database(db, path)
    db.executescript("BEGIN IMMEDIATE; ROLLBACK;")  # a file that may only be read says so now


def _make_file(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise JournalError(f"The journal {path} cannot be opened: {error.strerror}.") from error


def check_database(db: sqlite3.Connection, path: Path) -> None:
    """Read every page once. Raises JournalError when one is damaged: half a journal is none."""
    for (verdict,) in db.execute(f"PRAGMA quick_check({_MANY})"):
        if verdict != "ok" and not _OF_ROWS.match(verdict):
            raise damaged(path, verdict.splitlines()[-1])


def verify(path: Path) -> bool:
    """Read a journal that is in use once more, from the disk as far as the system allows; return whether it is sound.

    Raises sqlite3.Error when it cannot be read.
    """
    with closing(sqlite3.connect(path, timeout=PATIENCE_SECONDS, isolation_level=None)) as db:
        try:
            check_database(db, path)
        except JournalError:
            return False
        return not read(db).damage


def make_folder(folder: Path) -> None:
    """Make a data folder that only its owner can look into: it holds the seeds of running games."""
    try:
        disk.make_folder(folder)
    except OSError as error:
        raise JournalError(f"The folder {folder} cannot be created: {error.strerror}.") from error
