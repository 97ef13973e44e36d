"""Checks of the server's data and of the disks below it: journal, key, games, audit log, old copies, backups, cluster.

A drill restores the last backup into a scratch folder.
"""

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from scoville_runtime.host_status import LOST_LINKS
from scoville_server.doctor.findings import Finding
from scoville_server.doctor.patient import Patient
from scoville_server.journal.backups.copying import restore_backup, verify_backup
from scoville_server.journal.backups.note import LastBackup, read_backup_note
from scoville_server.journal.backups.series import list_unfinished_backups, remove_unfinished_backup
from scoville_server.journal.base import JournalError
from scoville_server.journal.contents import JournalContents, newest_ms
from scoville_server.journal.faults import HalfCopy
from scoville_server.journal.files import alive, generations, key_file
from scoville_server.journal.files.lock import FolderLock
from scoville_server.journal.inspection import inspect_file, inspect_used_file
from scoville_server.journal.jetstream.doubts import find_doubts
from scoville_server.journal.jetstream.engine import Engine, Place
from scoville_server.journal.reading import Rows
from scoville_server.journal.schema import list_copies
from scoville_server.moderation.audit_file import find_damaged_lines
from scoville_server.tables.archive.archive import find_game_faults
from scoville_server.trusted_time import ClockLimits

_OLD_MS: Final = 30 * 86_400_000
_YEAR_MS: Final = 365 * 86_400_000
_SHARE: Final = 0.1
"""Share of the free space from which on old copies are worth a word."""
_MIB: Final = 1_048_576


def check_storage(patient: Patient) -> Iterator[Finding]:
    """Check the journal, and by it the finished games and the clock."""
    folder = patient.folder
    if folder is None or patient.settings.cluster.servers:  # a node has nothing but its key there
        return
    try:
        number = generations.current_generation(folder)
        if number is None:
            return
        journal, note = generations.journal_of(folder, number), alive.read_note(folder, number)
        rows = inspect_used_file(journal) if patient.running else inspect_file(journal, note).rows
    except JournalError as error:
        if isinstance(error.__cause__, PermissionError):
            return  # the check of permissions says more
        yield Finding(code=_code_of(folder, error), text=error.message)
        return
    for damage in rows.damage:
        yield Finding(code="rows_damaged", text=damage.sentence)
    kept = rows.as_kept()._replace(alive_ms=None if note is None else note.alive_ms or None)
    yield from _check_key(folder, number)
    yield from _check_clock(patient, kept)
    yield from _check_games(folder, kept)
    yield from _check_restores(patient, folder, number)


def _code_of(folder: Path, error: JournalError) -> str:
    if (folder / generations.UNFINISHED).exists():
        return "backup_unfinished"
    return "half_copy" if isinstance(error, HalfCopy) else "journal_unusable"


def _check_key(folder: Path, number: int) -> Iterator[Finding]:
    try:
        key_file.expected_key(generations.folder_of(folder, number), folder)
    except JournalError as error:
        if not isinstance(error.__cause__, PermissionError):
            yield Finding(code="key_unusable", text=error.message)


def _check_clock(patient: Patient, kept: JournalContents) -> Iterator[Finding]:
    """Compare the clock with the newest stored time; a server that was off for months is nothing special."""
    if patient.status is not None:
        if patient.status["clock_warning"]:
            yield Finding(code="clock_wrong", text=patient.status["clock_warning"])
        return
    newest = newest_ms(kept.tables, kept.books, kept.alive_ms)
    off = patient.clock.date_ms() - newest
    if newest and (off < -1000 * ClockLimits().behind_seconds or off > _YEAR_MS):
        days, where = abs(off) / 86_400_000, "behind" if off < 0 else "ahead of"
        yield Finding(
            code="clock_wrong",
            text=f"The clock of this machine is {days:.1f} days {where} the newest time in the journal.",
        )


def _check_games(folder: Path, kept: JournalContents) -> Iterator[Finding]:
    games = folder / generations.GAMES
    try:
        missing, changed = find_game_faults(games, kept)
    except OSError as error:
        yield Finding(code="games_missing", text=f"{games} cannot be read: {error.strerror}.")
        return
    if missing:
        yield Finding(
            code="games_missing", text=f"{len(missing)} finished games are missing in {games}: {_name_some(missing)}."
        )
    if changed:
        text = f"{len(changed)} finished games in {games} have changed: {_name_some(changed)}."
        yield Finding(code="game_damaged", text=text)


def _name_some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")


def _check_restores(patient: Patient, folder: Path, number: int) -> Iterator[Finding]:
    """Check for restores that were killed, and for leavings of older generations and upgrades."""
    if not patient.running and generations.to_move(folder, number):
        yield Finding(
            code="restore_unfinished", text=f"A restore into {folder} has still to move files to their places."
        )
    # Those of a restore that is running belong to a server that is stopped, too: only old ones are left over.
    for left in generations.unfinished_files(folder, number):
        yield Finding(
            code="restore_leftover",
            text=f"{left} is from a restore that was killed.",
            fix=None if patient.running else partial(_clear_leftovers, folder),
        )
    former = [each for each in generations.list_generations(folder) if each < number]
    copies = [folder / generations.GENERATIONS / str(each) for each in former]
    copies += list_copies(folder)
    old = [path for path in copies if patient.clock.date_ms() - path.stat().st_mtime * 1000 > _OLD_MS]
    size = sum(file.stat().st_size for path in copies for file in path.rglob("*") if file.is_file())
    if copies and (old or size > _SHARE * shutil.disk_usage(folder).free):
        names = _name_some(sorted(path.relative_to(folder).as_posix() for path in copies))
        yield Finding(code="old_copies", text=f"Old copies in {folder} take {size / _MIB:.1f} MiB: {names}.")


def _clear_leftovers(folder: Path) -> None:
    """Remove leavings of killed restores. Raises JournalError, OSError.

    With the lock of the folder, and looked for again: a restore may have begun since, or be finished, and those get the
    numbers of killed ones.
    """
    lock = FolderLock(folder)
    try:
        generations.clear_unfinished(folder, generations.current_generation(folder))
    finally:
        lock.release_folder(undo=True)


def check_audit(patient: Patient) -> Iterator[Finding]:
    """Check each line of the audit log."""
    if patient.folder is None:
        return
    path = patient.folder / generations.AUDIT
    try:
        text = find_damaged_lines(path)
    except OSError:  # the check of permissions says more
        return
    if text:
        yield Finding(code="audit_damaged", text=text)


def read_rows_of(folder: Path) -> Rows:
    """Read the journal of a folder that no server uses. Raises JournalError."""
    number = generations.current_generation(folder) or 0
    return inspect_file(generations.journal_of(folder, number), alive.read_note(folder, number)).rows


_OLD_BACKUP_MS: Final = 2 * 86_400_000
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
        if not patient.settings.cluster.servers and key.exists() and now - key.stat().st_mtime * 1000 > _OLD_BACKUP_MS:
            yield Finding(code="no_backup", text=f"No backup of {folder} is known.")
        return

    if now - note.at_ms > _OLD_BACKUP_MS:
        yield Finding(code="backup_old", text=f"The last backup of {folder} was made {_describe_age(now, note.at_ms)}.")
    if not note.folder:  # it went through a pipe
        return
    backup = Path(note.folder)
    if not backup.is_dir():
        yield Finding(code="backup_missing", text=f"The last backup was made in {backup}, where nothing is.")
        return
    for half in list_unfinished_backups(backup.parent):
        text = f"{half} is from a backup that was killed."
        yield Finding(code="backup_interrupted", text=text, fix=partial(remove_unfinished_backup, half))
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


def check_cluster(patient: Patient) -> Iterator[Finding]:
    """Ask the running node, or else the engine itself."""
    cluster = patient.settings.cluster
    if not cluster.servers:
        return
    status = None if patient.status is None else patient.status.get("cluster")
    if status is None:
        place = Place(servers=cluster.servers, name=cluster.name, system=cluster.system, ca_file=cluster.ca_file)
        try:
            # No node runs here that could be asked.
            doubts = asyncio.run(_find_doubts(place))
        except JournalError as error:
            yield Finding(code="engine_unreachable", text=error.message)
            return
    else:
        doubts = status["doubts"]
        if not status["connected"]:
            yield Finding(code="engine_unreachable", text="This node does not reach the servers of NATS.")
        if len(status["nodes"]) < 2:
            yield Finding(code="node_alone", text="No other node of the cluster was heard.")
    links = None if patient.status is None else patient.status.get("links")
    if links is not None and links["lost_recently"] >= LOST_LINKS:
        yield Finding(code="links_lost", text=f"{links['lost_recently']} links were lost in ten minutes.")
    for doubt in doubts:
        yield Finding(code="engine_not_durable", text=doubt)


async def _find_doubts(place: Place) -> list[str]:
    engine = Engine(place)
    try:
        # Without making a missing one: the doctor only looks.
        await engine.connect(makes_stream=False)
        return await find_doubts(engine)
    finally:
        await engine.close()
