"""Checks of the backups: the age of the last one, and a drill that restores it into a scratch folder."""

import shutil
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from scoville_server.doctor.findings import Finding
from scoville_server.doctor.patient import Patient
from scoville_server.doctor.storage import read_rows_of
from scoville_server.journal.backups.copying import restore_backup, verify_backup
from scoville_server.journal.backups.note import LastBackup, read_backup_note
from scoville_server.journal.backups.series import list_unfinished_backups
from scoville_server.journal.base import JournalError
from scoville_server.journal.files import key_file
from scoville_server.tables.archive.archive import find_game_faults

_OLD_MS: Final = 2 * 86_400_000
_HOUR_MS: Final = 3_600_000


def check_backup(patient: Patient) -> Iterator[Finding]:
    """Check the last backup: whether there is one, its age, and whether it can be restored."""
    folder = patient.folder
    if folder is None:
        return
    now, note = patient.clock.date_ms(), read_backup_note(folder) or LastBackup()
    if note.failed_ms:
        yield Finding(
            code="backup_failed", text=f"The backup {_describe_age(now, note.failed_ms)} failed: {note.failure}"
        )
    if not note.at_ms:
        key = folder / key_file.KEY
        # A new server has had no night yet; of a cluster one node makes the backups.
        if not patient.settings.cluster.servers and key.exists() and now - key.stat().st_mtime * 1000 > _OLD_MS:
            yield Finding(code="no_backup", text=f"No backup of {folder} is known.")
        return
    if now - note.at_ms > _OLD_MS:
        yield Finding(code="backup_old", text=f"The last backup of {folder} was made {_describe_age(now, note.at_ms)}.")
    if not note.folder:  # it went through a pipe
        return
    backup = Path(note.folder)
    if not backup.is_dir():
        yield Finding(code="backup_missing", text=f"The last backup was made in {backup}, where nothing is.")
        return
    for half in list_unfinished_backups(backup.parent):
        text = f"{half} is from a backup that was killed."
        yield Finding(code="backup_interrupted", text=text, fix=partial(shutil.rmtree, half))
    try:
        _restore_for_trial(backup, note)
    except JournalError as error:
        yield Finding(code="backup_damaged", text=error.message)


def _restore_for_trial(backup: Path, note: LastBackup) -> None:
    """Restore a backup into a scratch folder and read it as a start does. Raises JournalError."""
    verify_backup(backup)  # the checksums; the games are compared with the journal below
    try:
        with tempfile.TemporaryDirectory(prefix="scoville-doctor-") as scratch:
            data = Path(scratch) / "data"
            copied = restore_backup(backup, data, force=False)
            missing, changed = find_game_faults(data / "games", read_rows_of(data).as_kept())
    except OSError as error:
        raise JournalError(f"{backup} could not be restored for a trial: {error.strerror}.") from error
    if copied != (note.tables, note.games):
        raise JournalError(
            f"The backup {backup} has {copied.tables} tables and {copied.games} games; when it was made it had "
            f"{note.tables} and {note.games}."
        )
    if changed:
        raise JournalError(f"The backup {backup} has {len(changed)} damaged games: {', '.join(changed[:5])}.")
    del missing  # a game that its server removed while it was copied


def _describe_age(now_ms: int, then_ms: int) -> str:
    hours = max(0, now_ms - then_ms) // _HOUR_MS
    return f"{hours} hours ago" if hours < 48 else f"{hours // 24} days ago"
