"""Figures of the process and its machine: processor time, memory, open files, and the disk of the data folder."""

import os
import shutil
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from scoville_runtime.figures import MINUTE

SLOW_SYNC_SECONDS: Final = 0.25
"""Seconds of a write to the disk from which users notice it: each move waits for one."""
_FREE_BYTES: Final = 1_000_000_000
_FREE_SHARE: Final = 0.05
"""The share of a disk that must be free, if that is more: what fills a large disk comes in larger pieces."""
_SAMPLE_SECONDS: Final = 5.0
# Windows has neither this nor /proc.
_PAGE: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4_096


class ProcessorUse:
    """The processor time of this process, and the share of one processor that it has used in the last minute."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, float]] = deque(maxlen=int(MINUTE / _SAMPLE_SECONDS) + 1)

    def note_time(self, now: float) -> None:
        """Note the processor time at `now` (monotonic seconds), unless it was noted a moment ago."""
        if not self._samples or now - self._samples[-1][0] >= _SAMPLE_SECONDS:
            self._samples.append((now, read_processor_seconds()))

    def read_ratio(self, now: float) -> float:
        """Return the share of one processor, 0 to the number of processors."""
        if not self._samples or now <= self._samples[0][0]:
            return 0.0
        since, used = self._samples[0]
        return max(0.0, read_processor_seconds() - used) / (now - since)


def read_processor_seconds() -> float:
    """Return the processor time of this process, of the user and of the system."""
    times = os.times()
    return times.user + times.system


def read_resident_bytes() -> int:
    """Return the memory that this process has now; 0 where the system does not say."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE
    return 0


def count_open_files() -> int:
    """Return how many files and connections this process has open; 0 where the system does not say."""
    try:
        folder = "/proc/self/fd"
        # Since Linux 6.2 its size is their number, which saves a millisecond for two thousand connections.
        return os.stat(folder).st_size or len(os.listdir(folder))  # noqa: PTH116, PTH208 - one call, and names
    except OSError:
        return 0


def read_open_files_limit() -> int:
    """Return how many it may have open; 0 for no limit, or where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 0 if soft == resource.RLIM_INFINITY else soft


class DiskSpace(NamedTuple):
    """Bytes of the disk of a folder, and of the write-ahead log in it."""

    free_bytes: int
    total_bytes: int
    log_bytes: int


def is_nearly_full(free_bytes: int, total_bytes: int) -> bool:
    """Whether the disk of a data folder needs attention before it is full."""
    return free_bytes < max(_FREE_BYTES, _FREE_SHARE * total_bytes)


def read_disk_space(folder: Path, journal: Path | None) -> DiskSpace | None:
    """Return the space that a data folder has; None if the folder cannot be reached."""
    try:
        usage = shutil.disk_usage(folder)
    except OSError:
        return None
    log_bytes = 0
    if journal is not None:
        # SQLite removes the log when the journal is closed.
        with suppress(OSError):
            log_bytes = journal.with_name(journal.name + "-wal").stat().st_size
    return DiskSpace(usage.free, usage.total, log_bytes)
