"""Backups: copies of a data folder, taken while its server runs, and restored. A backup is a data folder itself.

Finished games never change, so a backup has links to those of an earlier one.
"""

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Protocol

from scoville_runtime.atomic_files import PART, replace_file, sync_folder, write_all
from scoville_runtime.events import write_event
from scoville_server.events import Damage, ReportDamage
from scoville_server.journal.appends import END, END_ROW, end_row
from scoville_server.journal.backups.manifest import (
    Entries,
    Entry,
    Progress,
    digest_of_content,
    find_faults,
    read_manifest,
    write_manifest,
)
from scoville_server.journal.backups.note import Copied
from scoville_server.journal.base import JournalError
from scoville_server.journal.contents import JournalContents
from scoville_server.journal.faults import not_copied, unusable_error
from scoville_server.journal.files import alive, disk, generations, key_file
from scoville_server.journal.files.generations import (
    AUDIT,
    GAMES,
    GENERATIONS,
    JOURNAL,
    MANIFEST,
    UNFINISHED,
)
from scoville_server.journal.files.lock import BACKUP_LOCK, FolderLock
from scoville_server.journal.files.version_file import VERSION, copy_version
from scoville_server.journal.files.wal import WriteAheadLog
from scoville_server.journal.inspection import check_complete, image_of, inspect_file
from scoville_server.journal.opening import make_folder
from scoville_server.journal.reading import check_database, read_rows
from scoville_server.journal.schema import check_schema, find_readable_copy, newest_version, schema_of
from scoville_server.journal.seals import read_column


class GameCopies:
    """Copies of finished games: links to those of a former backup where a game is unchanged, else new files.

    Attributes:
        entries: Those of the manifest, by the path in the backup.
        damaged: Files of the former backup that have changed since it was made; their games are copied again.
    """

    def __init__(self, source: Path, target: Path, former: Path | None, progress: Progress) -> None:
        self._source, self._target, self._progress = source, target, progress
        self._former = former
        self.entries: dict[str, Entry] = {}
        self.damaged: list[str] = []

    def copy_games(self) -> None:
        """Copy all games onto the disk; one that its server removes meanwhile is passed over. Raises OSError."""
        known: Entries = {}
        # A damaged backup of yesterday must not keep tonight's from being made: then every game is copied.
        try:
            known = {} if self._former is None else read_manifest(self._former) or {}
        except JournalError:
            self.damaged.append(MANIFEST)
        disk.make_folder(self._target)
        games = _list_games(self._source)
        for number, game in enumerate(games, 1):
            # A running server may have deleted it since the folder was listed.
            with contextlib.suppress(FileNotFoundError):
                self._copy_game(game, known.get(f"{GAMES}/{game}"))
            self._progress(number, len(games))
        disk.sync_files(self._target.parent / name for name in self.entries)
        sync_folder(self._target)

    def _copy_game(self, game: str, former: Entry | None) -> None:
        name, source = f"{GAMES}/{game}", self._source / game
        found = source.stat()
        if former is not None and former[:2] == (found.st_size, found.st_mtime_ns) and self._link_game(name, former):
            self.entries[name] = former
            return
        # Under its own name at once: the mark UNFINISHED, or the generation that is not named yet, keeps it from use.
        content, target = _read_game(source), self._target / game
        handle = disk.make_file(target, os.O_WRONLY | os.O_EXCL)
        try:
            write_all(handle, content)
        finally:
            os.close(handle)
        os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))
        self.entries[name] = Entry(len(content), found.st_mtime_ns, digest_of_content(content))

    def _link_game(self, name: str, former: Entry) -> bool:
        """Link a game to that of the former backup, unless that is damaged or cannot be linked."""
        assert self._former is not None, "only a former backup has entries"
        before = self._former / name
        # Read each time: a link to a damaged file would hand the damage on from backup to backup, until the last
        # sound one is removed.
        try:
            sound = digest_of_content(before.read_bytes()) == former.digest
        except OSError:
            sound = False
        if not sound:
            self.damaged.append(name)
            return False
        # Not where the file system has no links, or a file has as many as it can have: then it is copied.
        with contextlib.suppress(OSError):
            os.link(before, self._target.parent / name)
            return True
        return False


def _list_games(folder: Path) -> list[str]:
    """List the names of all games in a folder, if there is one."""
    # Sorted by name: of 20,000 games comparing paths takes longer than reading the games.
    try:
        return sorted(path.name for path in folder.iterdir() if path.name.endswith(".jsonl"))
    except FileNotFoundError:
        return []


MARK = b"This backup is not finished. Run scoville-server backup again; it begins anew here.\n"


class CopiedGames(Protocol):
    """Finished games on their way into a backup; `entries` are those of its manifest, once they are copied."""

    entries: dict[str, Entry]

    def copy_games(self) -> None:
        """Copy all games. Raises OSError, JournalError."""


def show_nothing(done: int, of: int) -> None:
    """Show no progress."""


def back_up(
    data: Path,
    to: Path,
    former: Path | None = None,
    progress: Progress = show_nothing,
    report_damage: ReportDamage = write_event,
) -> Copied:
    """Copy a data folder, in use or not, into a new or empty folder. Raises JournalError.

    Games that a `former` backup has, unchanged, are links to its files.

    The journal is copied as it stands at one instant, and before the games: a game leaves the journal only when its
    file is there, so that the copy lacks none. Until all of it is on the disk a file UNFINISHED marks the copy; a
    marked one is used by nothing, and the next backup replaces it. A lock keeps another backup out of the folder.
    """
    number = usable_generation(data)
    check_outside(data, to)
    new = _check_target(to)
    make_folder(to)
    lock = lock_target(to)
    try:
        _check_target(to)  # again: another backup may have been written between the first look and the lock
        return _fill_or_clear(data, number, to, former, progress, report_damage)
    finally:
        lock.remove_lock()
        if new:
            with contextlib.suppress(OSError):
                to.rmdir()  # unless there is a backup in it


def check_outside(data: Path, to: Path) -> None:
    """Refuse a target in the data folder: what takes the folder takes such a copy along. Raises JournalError."""
    if to.resolve().is_relative_to(data.resolve()):
        raise JournalError(f"{to} is in the data folder {data}, and would be lost with it; name a folder elsewhere.")


def usable_generation(data: Path) -> int:
    """Find the generation of a data folder that is to be backed up. Raises JournalError."""
    number = source_generation(data)
    if generations.to_move(data, number):
        raise JournalError(
            f"A restore into {data} is not finished; start its server once, or run 'scoville-server restore' again."
        )
    return number


def lock_target(folder: Path) -> FolderLock:
    """Hold a folder into which backups are written. Raises FolderTaken while another one is, JournalError."""
    return FolderLock(folder, BACKUP_LOCK, f"Another backup is being written to {folder}; it is not disturbed.")


def _fill_or_clear(
    data: Path, number: int, to: Path, former: Path | None, progress: Progress, report_damage: ReportDamage
) -> Copied:
    """Copy everything, or leave nothing. Raises JournalError."""
    try:
        clear_copy(to)
        return _fill_copy(data, number, to, former, progress, report_damage)
    # Ctrl+C, too: half a copy must not pass for a whole one.
    except BaseException as error:
        with contextlib.suppress(OSError):
            clear_copy(to)
        if isinstance(error, OSError):
            raise copy_error(to, error) from error
        raise


def _fill_copy(
    data: Path, number: int, to: Path, former: Path | None, progress: Progress, report_damage: ReportDamage
) -> Copied:
    # The mark comes before anything else and goes after everything: a copy without it is complete.
    replace_file(to / UNFINISHED, MARK, locked=True)
    games = GameCopies(data / GAMES, to / GAMES, former, progress)
    copied = copy_generation(data, number, to, games, report_damage)
    if games.damaged and former is not None:
        named = ", ".join(games.damaged[:5]) + (", …" if len(games.damaged) > 5 else "")
        reason = f"The earlier backup is damaged ({named}); its games were copied again from the data folder."
        report_damage(Damage(path=str(former.absolute()), reason=reason))
    copy_audit(data, to)
    key_file.copy_key(data, to)
    copy_version(data, to)
    write_manifest(to, games.entries)
    (to / UNFINISHED).unlink()
    sync_folder(to)
    return copied


def _check_target(to: Path) -> bool:
    """Return whether a target has to be made. Raises JournalError for one that holds anything else."""
    try:
        if not to.exists():
            return True
        if (to / UNFINISHED).exists():
            return False
        harmless = {disk.LOST_AND_FOUND, UNFINISHED + PART, BACKUP_LOCK}
        if not to.is_dir() or {path.name for path in to.iterdir()} - harmless:
            raise JournalError(f"{to} already exists; a backup needs a new or empty folder.")
    except OSError as error:
        raise copy_error(to, error) from error
    return False


def clear_copy(to: Path) -> None:
    """Remove the files of a backup, its mark last. Raises OSError."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        (to / (JOURNAL + suffix)).unlink(missing_ok=True)
    shutil.rmtree(to / GAMES, ignore_errors=True)
    (to / AUDIT).unlink(missing_ok=True)
    (to / VERSION).unlink(missing_ok=True)
    (to / (VERSION + PART)).unlink(missing_ok=True)
    (to / key_file.KEY).unlink(missing_ok=True)
    (to / MANIFEST).unlink(missing_ok=True)
    (to / (MANIFEST + PART)).unlink(missing_ok=True)
    (to / (UNFINISHED + PART)).unlink(missing_ok=True)
    (to / UNFINISHED).unlink(missing_ok=True)


def restore_backup(backup: Path, data: Path, *, force: bool, progress: Progress = show_nothing) -> Copied:
    """Restore a backup as a data folder that no server is using. Raises JournalError.

    With `force` it takes the place of what is there: the former generation stays as it is, and finished games that the
    backup lacks stay too. Whenever this is killed, the folder has either its former tables or those of the backup.
    A backup that differs from its manifest replaces nothing.
    """
    number = source_generation(backup)
    check_backup(backup, progress)
    make_folder(data)
    lock = FolderLock(data)
    try:
        if not force and generations.is_occupied(data):
            raise JournalError(f"{data} already has tables or games; use --force to replace them.")
        return _bring_generation(backup, number, data, progress)
    except OSError as error:
        raise copy_error(data, error) from error
    finally:
        lock.release_folder()


def roll_back(data: Path, progress: Progress = show_nothing) -> tuple[Path, Copied]:
    """Restore what was copied before a newer version has changed the form of the journal. Raises JournalError.

    Returns the copy, and how much it holds. Nothing is replaced that this version can read.
    """
    number = source_generation(data)
    journal, known = generations.journal_of(data, number), newest_version()
    # With its log: a server that was killed during its first start has the migration there.
    if schema_of(image_of(journal, WriteAheadLog(journal))) <= known:
        raise JournalError(f"This version of Scoville can use the data in {data} as they are: start the server.")
    copy = find_readable_copy(data, known)
    if copy is None:
        raise JournalError(
            f"There is no copy in {data} from before the upgrade that this version of Scoville can read; restore a "
            "backup with 'scoville-server restore --force FOLDER'."
        )
    return copy, restore_backup(copy, data, force=True, progress=progress)


def _bring_generation(backup: Path, number: int, data: Path, progress: Progress) -> Copied:
    """Write the next generation, let the pointer name it, and then move its games to the others."""
    new = generations.next_number(data)
    folder = generations.make_folder_of(data, new)
    try:
        games = GameCopies(backup / GAMES, folder / GAMES, None, progress)
        copied = copy_generation(backup, number, folder, games)
        copy_audit(backup, folder)
        key_file.copy_key(backup, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        # It stays where it has other generations.
        with contextlib.suppress(OSError):
            (data / GENERATIONS).rmdir()
        raise

    # The names of the new folders too, or the pointer could survive a crash that they do not.
    sync_folder(folder.parent)
    sync_folder(data)
    generations.publish_generation(data, new)

    try:
        generations.move_generation(data, new)
    except OSError as error:
        raise JournalError(
            f"The tables were restored to {data}, but not yet all finished games: {error.strerror}. Fix that; the "
            "next start of the server restores the rest."
        ) from error
    return copied


def source_generation(folder: Path) -> int:
    """Find the generation to copy. Raises JournalError."""
    number = generations.current_generation(folder)
    if number is None:
        raise JournalError(f"There is no Scoville journal in {folder}: the file {JOURNAL} is missing.")
    return number


def copy_generation(
    source: Path, number: int, target: Path, games: CopiedGames, report_damage: ReportDamage = write_event
) -> Copied:
    """Copy a generation's journal into a folder, and the finished games, onto the disk."""
    journal = generations.journal_of(source, number)
    before, note = _identity_of(journal), alive.read_note(source, number)
    tables = _copy_journal(journal, note, target / JOURNAL, report_damage)
    # A restore may have replaced the journal meanwhile; the copy would mix two generations.
    if _identity_of(journal) != before or generations.current_generation(source) != number:
        raise JournalError(f"The journal {journal} was replaced while it was copied; try again.")
    # After the journal: a game that left it in between has its file by now.
    games.copy_games()
    disk.sync_file(target / JOURNAL)
    sync_folder(target)
    return Copied(tables, len(games.entries))


def copy_audit(source: Path, target: Path) -> None:
    """Copy the audit log, if there is one."""
    with contextlib.suppress(FileNotFoundError):
        disk.copy_file(source / AUDIT, target / AUDIT)


def _identity_of(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise JournalError(f"The journal {path} can no longer be reached: {error.strerror}.") from error
    return found.st_dev, found.st_ino


def _copy_journal(source: Path, note: alive.Note | None, target: Path, report_damage: ReportDamage) -> int:
    """Copy a journal as it stands at this instant, look the copy over, and count its tables."""
    # Made here with its rights: SQLite goes by the umask, and the journal holds the seeds of running games.
    os.close(disk.make_file(target, os.O_RDWR | os.O_EXCL))
    try:
        with closing(_connect_read_only(source)) as db:
            schema = check_schema(db, source, newest_version())
            log = WriteAheadLog(source)  # as long as the journal is open here, nobody deletes it
            try:
                return _copy_database(db, source, target, note, schema, log, report_damage)
            except sqlite3.Error as error:
                raise not_copied(source, target.parent, error) from error
    except sqlite3.Error as error:
        raise unusable_error(source, error) from error


def _copy_database(
    db: sqlite3.Connection,
    source: Path,
    target: Path,
    note: alive.Note | None,
    schema: int,
    log: WriteAheadLog,
    report_damage: ReportDamage,
) -> int:
    """Copy a database and count its tables; damaged rows of this schema are copied as they are, and reported."""
    with closing(_connect_read_only(target)) as copy:
        db.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, complete by itself
        check_database(copy, source)
        if schema < newest_version():
            return _count_tables(copy, sealed=False)
        rows = read_rows(copy)
        for damage in rows.damage:
            report_damage(Damage(path=str(source), reason=f"At the next start: {damage.sentence}"))
        # The copy is checked and not the source: this is what a host relies on after a loss.
        check_complete(source, log, rows.tally, note, schema)
        if rows.tally is not None:
            _close_copy(copy)
        return _count_tables(copy, sealed=True)


def _close_copy(copy: sqlite3.Connection) -> None:
    """Let a copy say that it is complete without a log, unlike its source, which a server may have open."""
    count, column = copy.execute("SELECT n, record FROM recent WHERE number = ?", (END,)).fetchone()
    tally, mark = read_column(column)
    copy.execute(END_ROW, end_row(count, tally._replace(closed=True).as_column(mark)))


def _count_tables(db: sqlite3.Connection, *, sealed: bool) -> int:
    """Count the tables of a journal; an old one has no recent records."""
    tables = "SELECT table_id FROM records"
    if sealed:
        tables += " UNION ALL SELECT table_id FROM recent WHERE table_id != ''"
    count: int = db.execute(f"SELECT count(DISTINCT table_id) FROM ({tables})").fetchone()[0]  # noqa: S608 - our own
    return count


def _connect_read_only(path: Path) -> sqlite3.Connection:
    """Open a database that is there."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, isolation_level=None)


def has_manifest(backup: Path) -> bool:
    """Return whether a folder has the manifest of a backup, which a folder that a server has used has not."""
    return (backup / MANIFEST).exists()


def check_backup(backup: Path, progress: Progress = show_nothing) -> bool:
    """Compare a backup with its manifest; return whether it has one. Raises JournalError for one that has changed."""
    entries = read_manifest(backup)
    if entries is None:
        return False
    try:
        faults = find_faults(backup, entries, progress)
    except OSError as error:
        raise JournalError(f"The backup {backup} cannot be read: {error.strerror}.") from error
    if faults:
        raise JournalError(f"The backup {backup} is damaged: {' '.join(faults)} Use another backup.")
    return True


def verify_backup(
    backup: Path,
    progress: Progress = show_nothing,
    find_changed_games: Callable[[Path, JournalContents], list[str]] = lambda *_: [],
) -> Copied:
    """Restore a backup in memory, and compare all its files with its manifest. Raises JournalError.

    Args:
        backup: Its folder.
        progress: Receives how many files are done.
        find_changed_games: Lists the games of a folder that are not as the journal has noted them: those were damaged
            before the backup was made, so that its manifest does not tell.
    """
    number = source_generation(backup)
    check_backup(backup, progress)
    rows = inspect_file(generations.journal_of(backup, number), alive.read_note(backup, number)).rows
    if rows.damage:
        raise JournalError(f"The backup {backup} is damaged: {' '.join(each.sentence for each in rows.damage)}")
    key_file.load_key(backup)
    try:
        changed = find_changed_games(backup / GAMES, rows.as_kept())
    except OSError as error:
        raise JournalError(f"The backup {backup} cannot be read: {error.strerror}.") from error
    if changed:
        named = ", ".join(changed[:5]) + (", …" if len(changed) > 5 else "")
        raise JournalError(
            f"The backup {backup} has finished games that were damaged when it was made: {named}. An earlier one may "
            "have them."
        )
    return Copied(len({table for table, _, _ in rows.records}), len([*(backup / GAMES).glob("*.jsonl")]))


def _read_game(path: Path) -> bytes:
    """Read a finished game. Raises FileNotFoundError, and JournalError for one that cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        sentence = f"The game {path} cannot be read: {error.strerror}. Move it away, or copy it from an earlier backup."
        raise JournalError(sentence) from error


def copy_error(folder: Path, error: OSError) -> JournalError:
    return JournalError(f"The copy to {folder} failed: {error.strerror}. Nothing there was replaced.")
