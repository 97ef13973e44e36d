"""The files that a store has open: still those that their paths name, and with a reserve for a full disk.

An open file can still be written after it was deleted, moved away or replaced; everything written to it is lost with
the process. A commit counts only while the paths lead to the files that are open.

The reserve is a file that is deleted when the disk is full, so that the write-ahead log can be folded in. A log that
has filled the disk needs more space to get smaller: its pages have to be written to the journal first. Without the
reserve a server could not recover from that, not even after a restart.

A second, small reserve is for starts alone: a server that has ended on a full disk, as when its machine starts again,
shows everything until there is space, and nobody has to start it then.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from scoville_runtime.clock import SYSTEM
from scoville_server.journal.base import FolderUnreachable, StorageLost
from scoville_server.journal.files import disk

RESERVE = "RESERVE"
START_RESERVE = "RESERVE_START"
START_BYTES = 262_144
"""Bytes that a start writes at most before it is ready, several times over: the log's index, and a few pages of its
log."""
_PARTS = 8
"""In such parts of its size the start's reserve is taken back on a full disk."""
BYTES = 8_388_608
"""Twice the size of a log that is folded in, which is from 1,000 pages of 4 KiB on."""
PAGE_BYTES = 4_096
WORTH_BYTES = 262_144
"""The size of a log from which on there is a reserve: a smaller one, as of a server that hardly writes, needs none."""
_TIMES = 4
"""The reserve is made only where so many times its size is free: it must not be what fills the disk."""
_BLOCK = 512
"""The unit of `st_blocks`."""
_EVERY = 256
"""Calls of `renew_reserve` of which one looks whether there is space again."""


class Reserve:
    """The reserve of a data folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / RESERVE
        self._start_path = folder / START_RESERVE
        self._folder = folder
        self._is_there = self._has_start = self._start_released = False
        self._bytes = 0
        self._calls = self._start_calls = 0

    def count_pages(self) -> int:
        """Return the pages that a log may have before it is folded in.

        Half of the reserve: where the file cannot grow for these, the log grows by less than that until the disk is
        full. So all of it fits into the reserve.
        """
        return min(BYTES, max(WORTH_BYTES, self._bytes)) // (2 * PAGE_BYTES)

    def renew_reserve(self, log_bytes: int) -> bool:
        """Make the file unless it is there, as far as there is space; returns whether it has tried.

        A failure leaves the disk as it was.
        """
        if not self._has_start:
            self._renew_start()
        if self._is_there or log_bytes < WORTH_BYTES:
            return False
        self._calls += 1
        if self._calls % _EVERY != 1:
            return False
        # A disk that is too full for it: the written part of the file is looked at below.
        with suppress(OSError):
            size = self._file_size()
            if _allocated_size(self._path) < size:
                _allocate_file(self._path, size)
            self._bytes = _allocated_size(self._path)
            self._is_there = bool(self._bytes)
        if not self._is_there:
            self.release_reserve()
        return True

    def release_reserve(self) -> bool:
        """Delete the file; returns whether there was one."""
        self._is_there, self._bytes = False, 0
        return _delete_file(self._path)

    def release_by_steps(self) -> Iterator[bool]:
        """Delete one file after the other for a start on a full disk, that for starts alone last; True after each."""
        if self.release_reserve():
            yield True
        self._start_released = _delete_file(self._start_path)
        if self._start_released:
            yield True

    def take_back(self) -> None:
        """Take the rest of a start's reserve: a move would take it, and the next start fail."""
        for part in range(_PARTS if self._start_released else 0, 0, -1):
            # A disk that is too full for all of it: the next smaller part.
            with suppress(OSError):
                _allocate_file(self._start_path, START_BYTES * part // _PARTS)
                return
            _delete_file(self._start_path)

    def _renew_start(self) -> None:
        """Make the file for starts, where there is space for it."""
        self._start_calls += 1
        if self._start_calls % _EVERY != 1:
            return
        # A disk that is too full for it.
        with suppress(OSError):
            there = _allocated_size(self._start_path)
            if there < START_BYTES <= (shutil.disk_usage(self._folder).free + there) // _TIMES:
                _allocate_file(self._start_path, START_BYTES)
            self._has_start = _allocated_size(self._start_path) >= START_BYTES

    def _file_size(self) -> int:
        """Return how large the file should be: smaller on a small disk, 0 on one that is nearly full."""
        size = min(BYTES, (shutil.disk_usage(self._folder).free + _allocated_size(self._path)) // _TIMES)
        return size if size >= WORTH_BYTES else 0


def _allocated_size(path: Path) -> int:
    return path.stat().st_blocks * _BLOCK if path.exists() else 0


def _allocate_file(path: Path, size: int) -> None:
    file = disk.make_file(path, os.O_WRONLY | os.O_TRUNC)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file, 0, size)
        else:
            os.write(file, bytes(size))
    finally:
        os.close(file)


def _delete_file(path: Path) -> bool:
    """Delete a file; returns whether there was one."""
    try:
        path.unlink()
    except OSError:
        return False
    return True


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
        self._descriptors: dict[str, int] = {}
        """Open folders, by path: one that was removed has no link any more, one that was moved has."""
        self._lost: StorageLost | None = None

    def watch_file(self, path: Path, *, grows: bool = False) -> None:
        """Register a file that has just been opened; one that `grows` never gets shorter while it is in use.

        Raises StorageLost when the path leads nowhere.
        """
        found, folder = _stat_file(str(path)), str(path.parent)
        self._files[str(path)] = _Identity(found.st_dev, found.st_ino)
        self._folders[folder] = None
        if grows:
            self._sizes[str(path)] = found.st_size
        if folder not in self._descriptors and hasattr(os, "O_DIRECTORY"):
            with suppress(OSError):  # one that may not be read counts as moved when it is not there
                self._descriptors[folder] = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)

    def close_folders(self) -> None:
        """Close the descriptors of the folders, which tell a removed folder from a moved one."""
        while self._descriptors:
            os.close(self._descriptors.popitem()[1])

    def check_files(self, *, written: bool = False) -> None:
        """Compare every path with the file that is open; `written` after a commit, which has happened or may have.

        Raises FolderUnreachable while a folder is not there, if nothing was written meanwhile, and it may come back
        with all files that are open. Raises StorageLost in all other cases, and from then on always: what was committed
        to a lost file is on no disk that anybody reads, and what was refused although it is written is not in memory.
        """
        if self._lost is None:
            try:
                self._compare_folders()
            except StorageLost as lost:
                away = self._find_missing_folder()
                if away and not written:
                    raise FolderUnreachable(f"{away} can no longer be reached") from lost
                self._lost = lost
        if self._lost is not None:
            raise StorageLost(self._lost.what)

    def _find_missing_folder(self) -> str:
        """Return the path of a folder that is not there, and was not removed; empty if there is none."""
        missing = [path for path in self._folders if not os.path.exists(path)]  # noqa: PTH110 - as `_stat_file`
        removed = any(os.fstat(descriptor).st_nlink == 0 for descriptor in self._descriptors.values())
        return missing[0] if missing and not removed else ""

    def note_shrunk(self, path: Path) -> None:
        """Take note that a file has become shorter, because this process has made it so."""
        if str(path) in self._sizes:
            try:
                self._sizes[str(path)] = _stat_file(str(path)).st_size
            except StorageLost:  # of any size when its folder is back
                self._sizes[str(path)] = 0
                raise

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
