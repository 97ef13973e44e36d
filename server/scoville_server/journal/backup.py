"""Back-ups: a data folder copied while its server runs, and brought back. A back-up is a data folder itself."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from scoville_server.journal.base import JournalError
from scoville_server.journal.faults import unusable
from scoville_server.journal.lock import FolderLock
from scoville_server.journal.schema import check, steps
from scoville_server.journal.store import JOURNAL, look_over, make_folder

GAMES = "games"
"""Where a data folder has its finished games."""

_PART, _REPLACED = ".part", ".replaced"


class Copied(NamedTuple):
    """How much a copy holds: tables in the journal, and files of finished games."""

    tables: int
    games: int


def back_up(data: Path, to: Path) -> Copied:
    """Copy a data folder, in use or not, into a new or empty folder. Raises JournalError.

    The journal is copied as it stands at one instant, and before the games: a game leaves the journal only when its
    file is there, so that the copy lacks none.
    """
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise JournalError(f"{to} is there already; a back-up goes into a new or an empty folder.")
    return _copy(data, to)


def restore(backup: Path, data: Path, *, force: bool) -> Copied:
    """Bring a back-up back as a data folder that no server is using. Raises JournalError.

    With `force` it takes the place of what is there: the former journal stays beside it as `journal.sqlite3.replaced`,
    and finished games that the back-up lacks stay too.
    """
    if not (backup / JOURNAL).is_file():
        raise _no_journal(backup)
    make_folder(data)
    lock = FolderLock(data)
    try:
        if not force and _occupied(data):
            raise JournalError(f"There are tables or games in {data} already; with --force the back-up replaces them.")
        return _copy(backup, data)
    finally:
        lock.release()


def _occupied(data: Path) -> bool:
    journal = data / JOURNAL
    return (journal.exists() and journal.stat().st_size > 0) or any((data / GAMES).glob("*.jsonl"))


def _copy(source: Path, target: Path) -> Copied:
    if not (source / JOURNAL).is_file():
        raise _no_journal(source)
    make_folder(target)
    try:
        tables = _copy_journal(source / JOURNAL, target / (JOURNAL + _PART))
        _put_aside(target)
        (target / (JOURNAL + _PART)).replace(target / JOURNAL)
        return Copied(tables, _copy_games(source / GAMES, target / GAMES))
    except OSError as error:
        raise JournalError(f"The copy to {target} failed: {error.strerror}.") from error


def _copy_journal(source: Path, target: Path) -> int:
    """Copy a journal as it stands at this instant, look the copy over, and count its tables."""
    target.unlink(missing_ok=True)
    target.touch(mode=0o600)
    try:
        with closing(_connect(source)) as db, closing(_connect(target)) as copy:
            check(db, source, steps()[-1].number)
            db.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, complete by itself
            look_over(copy, source)
            tables: int = copy.execute("SELECT count(DISTINCT table_id) FROM records").fetchone()[0]
            return tables
    except sqlite3.Error as error:
        raise unusable(source, error) from error


def _connect(path: Path) -> sqlite3.Connection:
    """Open a database that is there."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, isolation_level=None)


def _put_aside(data: Path) -> None:
    """Move a journal that is in the way aside, with its write-ahead log, which must never meet another journal."""
    for suffix in ("", "-wal"):
        former = data / (JOURNAL + suffix)
        if former.exists():
            former.replace(data / (JOURNAL + _REPLACED + suffix))
    (data / (JOURNAL + "-shm")).unlink(missing_ok=True)


def _copy_games(source: Path, target: Path) -> int:
    games = sorted(source.glob("*.jsonl"))
    target.mkdir(exist_ok=True)
    for game in games:
        shutil.copy2(game, target / game.name)
    return len(games)


def _no_journal(folder: Path) -> JournalError:
    return JournalError(f"There is no journal of Scoville in {folder}: it has no file {JOURNAL}.")
