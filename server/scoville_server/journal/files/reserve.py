"""Reserve of disk space: a file that is deleted when the disk is full, so that the write-ahead log can be folded in.

A log that has filled the disk needs more space to get smaller: its pages have to be written to the journal first.
Without the reserve a server could not recover from that, not even after a restart.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from scoville_server.journal.files import disk

RESERVE = "RESERVE"
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
"""Calls of `renew` of which one looks whether there is space again."""


class Reserve:
    """The reserve of a data folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / RESERVE
        self._folder = folder
        self._is_there = False
        self._bytes = 0
        self._calls = 0

    def pages(self) -> int:
        """Return the pages that a log may have before it is folded in.

        Half of the reserve: where the file cannot grow for these, the log grows by less than that until the disk is
        full. So all of it fits into the reserve.
        """
        return min(BYTES, max(WORTH_BYTES, self._bytes)) // (2 * PAGE_BYTES)

    def renew_reserve(self, log_bytes: int) -> bool:
        """Make the file unless it is there, as far as there is space; returns whether it has tried.

        A failure leaves the disk as it was.
        """
        if self._is_there or log_bytes < WORTH_BYTES:
            return False
        self._calls += 1
        if self._calls % _EVERY != 1:
            return False
        with suppress(OSError):
            size = self._file_size()
            if self._allocated_size() < size:
                self._allocate_file(size)
            self._bytes = self._allocated_size()
            self._is_there = bool(self._bytes)
        if not self._is_there:
            self.release_reserve()
        return True

    def release_reserve(self) -> bool:
        """Delete the file; returns whether there was one."""
        self._is_there, self._bytes = False, 0
        try:
            self._path.unlink()
        except OSError:
            return False
        return True

    def _file_size(self) -> int:
        """Return how large the file should be: smaller on a small disk, 0 on one that is nearly full."""
        size = min(BYTES, (shutil.disk_usage(self._folder).free + self._allocated_size()) // _TIMES)
        return size if size >= WORTH_BYTES else 0

    def _allocated_size(self) -> int:
        return self._path.stat().st_blocks * _BLOCK if self._path.exists() else 0

    def _allocate_file(self, size: int) -> None:
        file = disk.make_file(self._path, os.O_WRONLY | os.O_TRUNC)
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file, 0, size)
            else:
                os.write(file, bytes(size))
        finally:
            os.close(file)
