"""One server for one data folder."""

import sqlite3
from pathlib import Path

from scoville_server.journal.base import FolderTaken, JournalError
from scoville_server.journal.faults import reason

LOCK = "server.lock"


class FolderLock:
    """Holds a data folder for this process, until it is released or the process ends, however it ends.

    The lock is SQLite's own on an empty database: the same on every system, and gone with its process. Raises
    FolderTaken when another process has the folder, JournalError when it cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        try:
            self._db = _locked(folder / LOCK)
        except sqlite3.Error as error:
            raise _refused(folder, error) from error

    def release(self) -> None:
        """Let the folder go."""
        self._db.close()


def _locked(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        db.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error:
        db.close()
        raise
    return db


def _refused(folder: Path, error: sqlite3.Error) -> JournalError:
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
        return FolderTaken(
            f"Another scoville-server keeps its tables in {folder}; stop it, or choose another folder with --data."
        )
    return JournalError(f"The folder {folder} cannot be used: {reason(error)}.")
