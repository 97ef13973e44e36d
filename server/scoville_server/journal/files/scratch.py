"""Folders in which a copy is made that others may see only when it is complete."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from scoville_runtime.atomic_files import PART, replace_file
from scoville_server.journal.base import JournalError
from scoville_server.journal.files import disk
from scoville_server.journal.files.generations import UNFINISHED
from scoville_server.journal.files.lock import FolderLock

_LOCK: Final = "copy.lock"
_CONTENT: Final = "copy"
_MARK: Final = b"Scoville makes a copy here, or was killed while it did. The next copy to the same place begins anew.\n"


@contextmanager
def scratch_folder(around: Path, target: Path) -> Iterator[Path]:
    """Provide an empty folder within `around`; of both nothing is left afterwards but what the body has moved away.

    A lock keeps other processes out meanwhile. Leavings of a killed process are removed if they are marked.

    Args:
        around: A folder that need not exist.
        target: A name of the result, for a sentence.

    Raises FolderTaken while another process makes the same, JournalError, OSError.
    """
    if around.is_symlink():
        raise _foreign_folder_error(around)
    disk.make_folder(around)
    lock = FolderLock(around, _LOCK, f"Another copy is being written to {target}; it is not disturbed.")
    try:
        _clear_marked(around)
        replace_file(around / UNFINISHED, _MARK, locked=True)
        disk.make_folder(around / _CONTENT)
        try:
            yield around / _CONTENT
        finally:
            _clear_marked(around)
    finally:
        lock.remove_lock()
        with suppress(OSError):
            around.rmdir()  # unless another copy has begun, or something in it is not ours


@contextmanager
def own_scratch_folder(folder: Path, name: str) -> Iterator[Path]:
    """Provide an empty folder in `folder` for this process alone, and remove leavings of killed ones by that name.

    Raises JournalError, OSError.
    """
    for left in folder.glob(f"{name}-*{PART}"):
        with suppress(JournalError), scratch_folder(left, left):  # one that is in use, or not ours, stays
            pass
    with scratch_folder(folder / f"{name}-{os.getpid()}{PART}", folder) as scratch:
        yield scratch


def _clear_marked(around: Path) -> None:
    """Remove the files of a copy, its mark last. Raises JournalError for anything else."""
    names = {path.name for path in around.iterdir()} - {_LOCK, UNFINISHED, UNFINISHED + PART}
    if names and not (around / UNFINISHED).exists():
        raise _foreign_folder_error(around)
    shutil.rmtree(around / _CONTENT, ignore_errors=True)
    for name in (UNFINISHED + PART, UNFINISHED):
        (around / name).unlink(missing_ok=True)


def _foreign_folder_error(around: Path) -> JournalError:
    return JournalError(f"{around} is not from a copy that was interrupted; move it away, or choose another place.")
