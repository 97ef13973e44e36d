"""The note of the last backup in a data folder, for its server and the host: when, where, and whether it has failed."""

from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scoville_runtime.atomic_files import replace_file
from scoville_runtime.clock import Clock
from scoville_server.events import Backup, BackupFailed
from scoville_server.journal.files.generations import LAST_BACKUP

_FRESH_SECONDS: Final = 10.0
"""How long a note that was read holds: metrics and `top` ask again and again, and backups come once a day."""


class LastBackup(Struct, frozen=True, kw_only=True):
    """A data folder's note of its latest backup.

    `at_ms` (since 1970) is the time of the last one, 0 if there was none, `folder` where it is: empty if it went
    through a pipe. `failed_ms` is that of a later one that has failed, 0 if none has, and `failure` says why.
    """

    at_ms: int = 0
    folder: str = ""
    tables: int = 0
    games: int = 0
    failed_ms: int = 0
    failure: str = ""
    unreported: Backup | BackupFailed | None = None
    """The event of the latest one, if no server has heard of it: the next start reports it."""


class Copied(NamedTuple):
    """How much a copy holds: tables in the journal, and files of finished games."""

    tables: int
    games: int


def note_backup(data: Path, folder: Path | None, copied: Copied, now_ms: int, unreported: Backup | None = None) -> None:
    """Note a backup in the data folder; a folder that cannot be written stays as it is."""
    place = "" if folder is None else str(folder.absolute())
    made = LastBackup(at_ms=now_ms, folder=place, tables=copied.tables, games=copied.games, unreported=unreported)
    _write_note(data, made)


def note_failed_backup(data: Path, failure: str, now_ms: int, unreported: BackupFailed | None = None) -> None:
    """Note that a backup has failed, beside the last one that has not."""
    former = read_backup_note(data) or LastBackup()
    _write_note(data, replace(former, failed_ms=now_ms, failure=failure, unreported=unreported))


def take_unreported_event(data: Path) -> Backup | BackupFailed | None:
    """Return the event of a backup that was made while no server ran; only once."""
    note = read_backup_note(data)
    if note is None or note.unreported is None:
        return None
    _write_note(data, replace(note, unreported=None))
    return note.unreported


def read_backup_note(data: Path) -> LastBackup | None:
    """Return a data folder's note of its last backup; None if there was none, or the note is damaged."""
    try:
        return msgspec.json.decode((data / LAST_BACKUP).read_bytes(), type=LastBackup)
    except (OSError, msgspec.DecodeError):
        return None


def _write_note(data: Path, note: LastBackup) -> None:
    # The backup has succeeded all the same; only its date is not shown.
    with suppress(OSError):
        replace_file(data / LAST_BACKUP, msgspec.json.encode(note) + b"\n")


class BackupNoteReader:
    """Reads the note of a data folder again after a while, however often it is asked.

    Args:
        data: The folder; None for a server without one.
        clock: The time of the server.
    """

    def __init__(self, data: Path | None, clock: Clock) -> None:
        self._data, self._clock = data, clock
        self._note: LastBackup | None = None
        self._read_at: float | None = None

    def read_note(self) -> LastBackup:
        """Return the note; one without times if there is none."""
        now = self._clock.seconds()
        if self._data is not None and (self._read_at is None or now - self._read_at >= _FRESH_SECONDS):
            self._note, self._read_at = read_backup_note(self._data), now
        return self._note or LastBackup()
