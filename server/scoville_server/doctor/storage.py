"""Checks of what the server stores: journal, key, finished games, audit log, and old copies."""

import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from scoville_server.doctor.findings import Finding
from scoville_server.doctor.patient import Patient
from scoville_server.journal.base import JournalError
from scoville_server.journal.contents import Kept, newest_ms
from scoville_server.journal.faults import HalfCopy
from scoville_server.journal.files import alive, generations, key_file
from scoville_server.journal.inspection import inspect_file, inspect_used_file
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


def _check_clock(patient: Patient, kept: Kept) -> Iterator[Finding]:
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


def _check_games(folder: Path, kept: Kept) -> Iterator[Finding]:
    games = folder / generations.GAMES
    try:
        missing, changed = find_game_faults(games, kept)
    except OSError as error:
        yield Finding(code="games_missing", text=f"{games} cannot be read: {error.strerror}.")
        return
    if missing:
        yield Finding(
            code="games_missing", text=f"{len(missing)} finished games are missing in {games}: {_some(missing)}."
        )
    if changed:
        text = f"{len(changed)} finished games in {games} have changed: {_some(changed)}."
        yield Finding(code="game_damaged", text=text)


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")


def _check_restores(patient: Patient, folder: Path, number: int) -> Iterator[Finding]:
    """Check for restores that were killed, and for what older generations and upgrades have left."""
    if not patient.running and generations.to_move(folder, number):
        yield Finding(
            code="restore_unfinished", text=f"A restore into {folder} has still to move files to their places."
        )
    # Those of a restore that is running belong to a server that is stopped, too: only old ones are left over.
    for left in generations.unfinished_files(folder, number):
        yield Finding(
            code="restore_leftover",
            text=f"{left} is from a restore that was killed.",
            fix=None if patient.running else partial(shutil.rmtree, left),
        )
    former = [each for each in generations.list_generations(folder) if each < number]
    copies = [folder / generations.GENERATIONS / str(each) for each in former]
    copies += list_copies(folder)
    old = [path for path in copies if patient.clock.date_ms() - path.stat().st_mtime * 1000 > _OLD_MS]
    size = sum(file.stat().st_size for path in copies for file in path.rglob("*") if file.is_file())
    if copies and (old or size > _SHARE * shutil.disk_usage(folder).free):
        names = _some(sorted(path.relative_to(folder).as_posix() for path in copies))
        yield Finding(code="old_copies", text=f"Old copies in {folder} take {size / _MIB:.1f} MiB: {names}.")


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
