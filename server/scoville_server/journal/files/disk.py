"""File operations that survive a crash: a reader finds a whole file or none, and what returns is on the disk."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

PART = ".part"
"""Ends the name of a file that is being written."""


def write(path: Path, data: bytes) -> None:
    """Write a small file atomically, replacing an existing one. Raises OSError."""
    part = path.with_name(path.name + PART)
    file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file, rest) :]
        os.fsync(file)
    finally:
        os.close(file)
    part.replace(path)
    sync_folder(path.parent)


def copy(source: Path, target: Path) -> None:
    """Copy a file with its times into its place at once, readable by its owner only. Raises OSError."""
    part = target.with_name(target.name + PART)
    try:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        shutil.copyfile(source, part)
        found = source.stat()
        os.utime(part, ns=(found.st_atime_ns, found.st_mtime_ns))
        sync(part)
        part.replace(target)
    except OSError:
        with suppress(OSError):
            part.unlink()
        raise


def sync(path: Path) -> None:
    """Wait until a file is on the disk. Raises OSError."""
    file = os.open(path, os.O_RDWR)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, on systems that can do so. Raises OSError."""
    if os.name == "nt":
        return
    file = os.open(folder, os.O_RDONLY)
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
