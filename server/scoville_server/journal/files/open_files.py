"""The files that a store has open, compared with what their paths name now.

An open file can still be written after it was deleted, moved away or replaced; everything written to it is lost with
the process. A commit counts only while the paths lead to the files that are open.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from scoville_runtime.clock import SYSTEM
from scoville_server.journal.base import StorageLost

QUIET_NS = 3_000_000_000
"""How old the latest change of a folder must be until its time tells all later ones apart: the coarsest file systems
count time in steps of two seconds."""


class _Identity(NamedTuple):
    device: int
    inode: int


_Folder = tuple[int, int, int, int]
"""A folder as it was when its files were compared: its device and inode, and when its contents and it were changed
last (ns). Nothing can be deleted or replaced in it without a change."""


class OpenFiles:
    """Identities of open files by path. One thread uses them at a time; `date_ms` is the time of the file system."""

    def __init__(self, date_ms: Callable[[], int] = SYSTEM.date_ms) -> None:
        self._date_ms = date_ms
        self._files: dict[str, _Identity] = {}
        self._folders: dict[str, _Folder | None] = {}
        self._sizes: dict[str, int] = {}
        self._lost: StorageLost | None = None

    def watch_file(self, path: Path, *, grows: bool = False) -> None:
        """Register a file that has just been opened; one that `grows` never gets shorter while it is in use.

        Raises StorageLost when the path leads nowhere.
        """
        found = _stat_file(str(path))
        self._files[str(path)] = _Identity(found.st_dev, found.st_ino)
        self._folders[str(path.parent)] = None
        if grows:
            self._sizes[str(path)] = found.st_size

    def check_files(self) -> None:
        """Compare every path with the file that is open. Raises StorageLost, from then on always.

        There is no way back within a process: what was committed to a lost file is on no disk that anybody reads.
        """
        if self._lost is None:
            try:
                self._compare_folders()
            except StorageLost as lost:
                # Remembered: the path may lead back to the file, but what was committed meanwhile is missing there.
                self._lost = lost
        if self._lost is not None:
            raise StorageLost(self._lost.what)

    def note_shrunk(self, path: Path) -> None:
        """Take note that a file has become shorter, because this process has made it so."""
        if str(path) in self._sizes:
            self._sizes[str(path)] = _stat_file(str(path)).st_size

    def size_of(self, path: Path) -> int:
        """Return the size of a file that grows, at the latest check."""
        return self._sizes.get(str(path), 0)

    def report_lost(self, what: str) -> None:
        """Refuse from now on for another reason."""
        self._lost = self._lost or StorageLost(what)

    def _compare_folders(self) -> None:
        """Look at folders and sizes, and at each file only when its folder has changed: each commit does so twice."""
        for path, known in self._folders.items():
            found = _stat_file(path)
            folder = (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns)
            if folder != known:
                self._compare_files()
                quiet = self._date_ms() * 1_000_000 - QUIET_NS
                # A folder that changed a moment ago is looked at again: a change within the clock's step would look the
                # same.
                self._folders[path] = folder if max(folder[2:]) < quiet else None
        for path, size in self._sizes.items():
            found_size = _stat_file(path).st_size
            if found_size < size:
                raise StorageLost(f"{path} has become shorter; another program truncated it")
            self._sizes[path] = found_size

    def _compare_files(self) -> None:
        for path, opened in self._files.items():
            found = _stat_file(path)
            if found.st_ino != opened.inode or found.st_dev != opened.device:
                raise StorageLost(f"{path} is not the file that this server opened; it was moved or replaced")


def _stat_file(path: str) -> os.stat_result:
    try:
        return os.stat(path)  # noqa: PTH116 - six times for each commit: a Path takes twice as long
    except OSError as error:
        raise StorageLost(f"{path} can no longer be reached ({error.strerror})") from error
