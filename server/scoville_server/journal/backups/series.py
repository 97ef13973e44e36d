"""Series of backups: a folder that keeps the newest backups, one for each night."""

import re
import shutil
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from scoville_runtime.atomic_files import replace_file
from scoville_runtime.events import write_event
from scoville_server.events import ReportDamage
from scoville_server.journal.backups.copying import (
    MARK,
    back_up,
    check_outside,
    clear_copy,
    copy_error,
    lock_target,
    show_nothing,
)
from scoville_server.journal.backups.manifest import Progress
from scoville_server.journal.backups.note import Copied
from scoville_server.journal.base import FolderTaken, JournalError
from scoville_server.journal.files.generations import MANIFEST, UNFINISHED
from scoville_server.journal.files.lock import BACKUP_LOCK, is_folder_in_use
from scoville_server.journal.opening import make_folder

_DAY_MS: Final = 86_400_000
_TIME_NAME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ")


class Backup(NamedTuple):
    """A backup: its folder, and how much it holds."""

    folder: Path
    copied: Copied


def back_up_series(
    data: Path,
    folder: Path,
    keep: int,
    now_ms: int,
    progress: Progress = show_nothing,
    report_damage: ReportDamage = write_event,
) -> Backup:
    """Add a backup, named by its time, to a folder of backups, and remove all but the newest `keep`.

    One at a time: a lock is held meanwhile, so what is unfinished before the first step is from a killed backup. It is
    removed first, since it may take the space that this one needs. Raises JournalError, FolderTaken while another
    backup is being added.
    """
    check_outside(data, folder)
    make_folder(folder)
    lock = lock_target(folder)
    try:
        try:
            for half in list_unfinished_backups(folder):
                with suppress(FolderTaken):  # it has just begun again
                    remove_unfinished_backup(half)
            former = list_backups(folder)
            # A host may start the timer's unit twice in a second: the later backup is named later.
            seconds = range(now_ms, now_ms + _DAY_MS, 1_000)
            to = next(path for at_ms in seconds if not (path := folder / time_name(at_ms)).exists())
        except OSError as error:
            raise copy_error(folder, error) from error
        copied = back_up(data, to, former[-1] if former else None, progress, report_damage)
        for old in [*former, to][:-keep]:
            _remove_backup(old)
        return Backup(to, copied)
    finally:
        lock.remove_lock()


def list_backups(folder: Path) -> list[Path]:
    """List the finished backups of a series, the oldest first."""
    named = (path for path in folder.glob("*") if _TIME_NAME.fullmatch(path.name))
    return sorted(path for path in named if (path / MANIFEST).exists() and not (path / UNFINISHED).exists())


def list_unfinished_backups(folder: Path) -> list[Path]:
    """List the leavings of a series' killed backups; one that is being written holds its lock."""
    named = sorted(path for path in folder.glob("*") if _TIME_NAME.fullmatch(path.name))
    return [path for path in named if (path / UNFINISHED).exists() and not is_folder_in_use(path, BACKUP_LOCK)]


def remove_unfinished_backup(folder: Path) -> None:
    """Remove leavings of a killed backup, unless another one has been made there meanwhile.

    Raises FolderTaken while that is being written, JournalError, OSError.
    """
    lock = lock_target(folder)
    try:
        if (folder / UNFINISHED).exists():
            clear_copy(folder)
    finally:
        lock.remove_lock()
        with suppress(OSError):
            folder.rmdir()  # unless there is a backup in it


def time_name(at_ms: int) -> str:
    """Return the name of a backup of that time, which sorts by time and which every file system takes."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%dT%H-%M-%SZ")


def _remove_backup(folder: Path) -> None:
    """Remove a backup, marked first: half of one must not be taken for a whole. Raises JournalError."""
    try:
        replace_file(folder / UNFINISHED, MARK, locked=True)
        shutil.rmtree(folder)
    except OSError as error:
        raise JournalError(f"The old backup {folder} cannot be removed: {error.strerror}.") from error
