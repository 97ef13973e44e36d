"""Locks of folders: one server for one data folder, one backup for one target."""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from scoville_server.journal.base import FolderTaken, JournalError
from scoville_server.journal.faults import reason_of
from scoville_server.journal.files import disk

LOCK = "server.lock"
BACKUP_LOCK = "backup.lock"
"""The lock of a folder into which a backup is written, or a series of them."""
_TRIES = 8
"""How often a lock file may vanish while it is being locked, before its folder counts as unusable."""


class FolderLock:
    """Holds a folder for this process, until it is released or the process ends, however it ends.

    The lock is SQLite's own on an empty database: the same on every system, and gone with its process. It holds the
    file that `path` names, and not one that was deleted meanwhile. Raises FolderTaken when another process has the
    folder, JournalError when it cannot be used.

    Args:
        folder: The folder; it must be there.
        name: The name of the file in it.
        taken: The sentence for a folder that another process has; that about a data folder if it is empty.
    """

    def __init__(self, folder: Path, name: str = LOCK, taken: str = "") -> None:
        self.path = folder / name
        self._left = _left_by_a_kill(self.path)
        self._made = not os.path.lexists(self.path)
        try:
            self._db = _lock_file(self.path)
        except sqlite3.Error as error:
            raise _refusal_of(folder, error, taken) from error
        except OSError as error:
            raise JournalError(f"The folder {folder} cannot be used: {error.strerror}.") from error

    def release_folder(self, *, undo: bool = False) -> None:
        """Release the folder; with `undo` it is left as it was. A process that waits for this file makes a new one."""
        # The file that stays locks nothing once this process has closed it.
        with suppress(OSError):
            if undo and self._left is not None:
                _journal_of(self.path).write_bytes(self._left)
            if undo and self._made:
                self.path.unlink()
        self._db.close()

    def remove_lock(self) -> None:
        """Release the folder for good: nothing of the lock stays in it."""
        with suppress(OSError):  # Windows removes no open file; the file that stays is empty and locks nothing
            self.path.unlink()
        self._db.close()


def is_folder_in_use(folder: Path, name: str = LOCK) -> bool:
    """Return whether a process holds a folder by the lock of that name. Nothing is made, locked or changed."""
    path = folder / name
    try:
        if not path.exists():
            return False
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=0)) as db:
            db.execute("SELECT count(*) FROM sqlite_master").fetchall()
    except sqlite3.Error as error:
        return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
    except OSError:
        return False
    return False


def _lock_file(path: Path) -> sqlite3.Connection:
    """Lock a file, and make sure that the path led to it before and after."""
    for _ in range(_TRIES):
        _make_file(path)
        with suppress(FileNotFoundError):
            # Compared after locking as well: a server that stops may have removed the file in between.
            before = path.stat()
            db = _connect_to(path)
            if _is_same_file(path, before):
                return db
            db.close()
    raise OSError(0, f"its file {LOCK} is being replaced repeatedly")


def _make_file(path: Path) -> None:
    """Make an empty lock file. One that is there is never opened: to close it would give up this process's own lock."""
    with suppress(FileExistsError):
        os.close(disk.make_file(path, os.O_RDWR | os.O_EXCL))


def _is_same_file(path: Path, before: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), before)
    except FileNotFoundError:
        return False


def _connect_to(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        db.execute("PRAGMA journal_mode = MEMORY")  # nothing is ever written, so no file beside it
        db.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error:
        db.close()
        raise
    return db


def _journal_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-journal")


def _left_by_a_kill(path: Path) -> bytes | None:
    """Read the file that a killed server of an older version has left beside its lock: SQLite removes it."""
    with suppress(OSError):
        return _journal_of(path).read_bytes()
    return None


def _refusal_of(folder: Path, error: sqlite3.Error, taken: str) -> JournalError:
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
        server = f"Another scoville-server uses {folder}; stop it, or choose another folder with --data."
        return FolderTaken(taken or server)
    return JournalError(f"The folder {folder} cannot be used: {reason_of(error)}.")
