"""File operations of the data folder that survive a crash; files are replaced by `scoville_runtime.atomic_files`."""

import os
import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from scoville_runtime.atomic_files import give_to_owner, replacement_of, sync_folder

_SYNC_WAITS: Final[bool] = sys.platform == "linux"
"""Whether `os.sync` returns when everything is on the disk."""
LOST_AND_FOUND: Final = "lost+found"
"""A folder of root's on a fresh disk: nothing of a server, and no reason to call the disk not empty."""


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


def sync_files(paths: Iterable[Path]) -> None:
    """Wait until many files are on the disk. Raises OSError."""
    if _SYNC_WAITS:
        os.sync()  # 20,000 files took 55 s one by one
        return
    for path in paths:
        sync_file(path)


def make_folder(folder: Path) -> None:
    """Make a folder that only its owner can look into, with its parents. Raises OSError."""
    if folder.is_dir():
        return
    _make_with_parents(folder, 0o700)
    with suppress(OSError):  # a parent may be for others to read
        sync_folder(folder.parent)


def _make_with_parents(folder: Path, mode: int) -> None:
    if not folder.parent.exists():
        _make_with_parents(folder.parent, 0o777)
    try:
        folder.mkdir(mode=mode)
    except FileExistsError:
        if not folder.is_dir():
            raise
    else:
        give_to_owner(folder, folder.parent)


def make_file(path: Path, flags: int) -> int:
    """Open a file, made for its owner only unless it is there, and return its handle. Raises OSError."""
    handle = os.open(path, flags | os.O_CREAT, 0o600)
    try:
        give_to_owner(handle, path.parent)
    except BaseException:
        os.close(handle)
        raise
    return handle
