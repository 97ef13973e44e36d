"""Space for the write-ahead log: when it is folded into the file, and what is done when the disk is full."""

import contextlib
import sqlite3
from pathlib import Path

from scoville_server.journal.base import StorageLost
from scoville_server.journal.faults import is_full
from scoville_server.journal.files.open_files import OpenFiles
from scoville_server.journal.files.reserve import Reserve
from scoville_server.journal.opening import PATIENCE_SECONDS


class LogSpace:
    """The log of an open journal, and the reserve into which it fits."""

    def __init__(self, db: sqlite3.Connection, files: OpenFiles, reserve: Reserve, journal: Path) -> None:
        self._db = db
        self._files = files
        self._reserve = reserve
        self._path = journal.with_name(journal.name + "-wal")

    def fold_log(self) -> None:
        """Fold the log into the file, as far as no other program reads it."""
        with contextlib.suppress(sqlite3.Error):
            self._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def renew_reserve(self) -> None:
        """Renew the reserve after a commit, and let the log become no longer than that allows."""
        if self._reserve.renew_reserve(self._files.size_of(self._path)):
            self._db.execute(f"PRAGMA wal_autocheckpoint = {self._reserve.pages()}")

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
        if busy:  # to release the reserve would not help, and the next commit would use it up
            raise sqlite3.OperationalError("another program reads the log")
        return True
