"""File operations of the data folder that survive a crash; files are replaced by `scoville_runtime.atomic_files`."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from scoville_runtime.atomic_files import replacement_of, sync_folder


def copy_file(source: Path, target: Path) -> None:
    """Copy a file with its times into its place at once, readable by its owner only. Raises OSError.

    The name is on the disk only after `sync_folder`: many are copied, and their folder is synced once.
    """
    with replacement_of(target, locked=True) as part:
        shutil.copyfile(source, part.path)
        found = source.stat()
        os.utime(part.path, ns=(found.st_atime_ns, found.st_mtime_ns))


def sync_file(path: Path) -> None:
    """Wait until a file is on the disk. Raises OSError."""
    file = os.open(path, os.O_RDWR)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def make_folder(folder: Path) -> None:
    """Make a folder that only its owner can look into, with its parents. Raises OSError."""
    if folder.is_dir():
        return
    if not folder.parent.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    with suppress(OSError):  # a parent may be for others to read
        sync_folder(folder.parent)
