"""Files that are written at once: a reader finds the former content or the new one, also after a crash."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

PART: Final = ".part"
"""Ends the name of a file that is being written."""
OWNER_ONLY: Final = 0o600
FOR_ALL: Final = 0o666
"""Permissions of a file without secrets, from which the user's umask takes its part."""
_BINARY: Final = getattr(os, "O_BINARY", 0)
"""Windows would write two bytes for each end of a line without it."""


class Part(NamedTuple):
    """A file that is being written, open as `handle`."""

    path: Path
    handle: int


def replace_file(path: Path, content: bytes, *, mode: int = OWNER_ONLY, locked: bool = False) -> None:
    """Give a file a content, also one that is not there yet; what returns is on the disk. Raises OSError.

    Args:
        path: The file; a symbolic link is replaced itself.
        content: All of it.
        mode: Permissions of the new file, whatever those of the former one were.
        locked: Whether a lock keeps other processes from writing this file, see `replacement_of`.
    """
    with replacement_of(path, mode=mode, locked=locked) as part:
        write_all(part.handle, content)
    sync_folder(path.parent)


def create_file(path: Path, content: bytes) -> None:
    """Make a file that only its owner can read, complete from its first moment and on the disk.

    Of several processes that make it at the same time, one succeeds. Raises FileExistsError for the others, OSError.
    """
    with _new_file(path.with_name(f"{path.name}.{os.getpid()}{PART}"), OWNER_ONLY) as part:
        with _sync_at_end(part):
            write_all(part.handle, content)
        # A link fails where the name is taken; a rename would replace another process's file.
        os.link(part.path, path)
    sync_folder(path.parent)


@contextmanager
def replacement_of(path: Path, *, mode: int = OWNER_ONLY, locked: bool = False) -> Iterator[Part]:
    """Provide a new file that takes the place of `path` when the body ends; an error removes it. Raises OSError.

    Its content is on the disk by then, its name only after `sync_folder`. Processes that write the same file at once
    write files of their own, unless a lock keeps them apart (`locked`): then what a killed one has left is found, and
    replaced.
    """
    name = f"{path.name}{PART}" if locked else f"{path.name}.{os.getpid()}{PART}"
    with _new_file(path.with_name(name), mode) as part:
        with _sync_at_end(part):
            yield part
        # Only once the content is on the disk: after a crash the name could otherwise lead to an empty file.
        part.path.replace(path)


@contextmanager
def _new_file(path: Path, mode: int) -> Iterator[Part]:
    """Provide a new file, and remove it unless it got another name."""
    # Never one that is there already: another process may have it open, or its permissions may be wider.
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY, mode)
    try:
        give_to_owner(handle, path.parent)
        yield Part(path, handle)
    finally:
        # A leftover is removed by the next writer of that name.
        with suppress(OSError):
            path.unlink(missing_ok=True)


@contextmanager
def _sync_at_end(part: Part) -> Iterator[None]:
    """Sync a file when the body ends, and close it in any case: Windows renames no open file."""
    try:
        yield
        os.fsync(part.handle)
    finally:
        os.close(part.handle)


def give_to_owner(made: int | Path, folder: Path) -> None:
    """Give a new file, open or by its path, to the owner of its folder when root has made it. Raises OSError.

    Root maintains folders of services: what root makes there would keep their next start from reading it.
    """
    if os.name == "nt" or os.geteuid() != 0:
        return
    owner = folder.stat()
    if owner.st_uid == 0:
        return
    # By its path only what is no link: the owner of the folder could point one at a file of root.
    if isinstance(made, int):
        os.chown(made, owner.st_uid, owner.st_gid)
    else:
        os.chown(made, owner.st_uid, owner.st_gid, follow_symlinks=False)


def write_all(handle: int, content: bytes) -> None:
    """Write all bytes to an open file: one call may write a few of them only. Raises OSError."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, on systems that can do so. Raises OSError."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some network file systems sync no folders, and say so
            raise
    finally:
        os.close(handle)
