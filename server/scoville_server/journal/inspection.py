"""A look at a journal before its server changes anything: whether it can be used, and whether it is all there.

The journal is read as SQLite will find it once the write-ahead log is replayed and the schema is up to date, but in
memory. So a start that is refused leaves every file as it was, for the version that wrote it as well.
"""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from scoville_runtime.events import write_event
from scoville_server.events import Damage, ReportDamage
from scoville_server.journal.base import JournalError
from scoville_server.journal.faults import behind_error, convert_errors, damaged_log, incomplete_error, protected_error
from scoville_server.journal.files import alive
from scoville_server.journal.files.wal import WriteAheadLog
from scoville_server.journal.reading import Rows, check_database, read_rows, read_tally
from scoville_server.journal.schema import (
    check_schema,
    check_structure,
    migrate_schema,
    newest_version,
    schema_in,
)
from scoville_server.journal.seals import Tally, register_functions

_log = logging.getLogger(__name__)
_VERSIONS = slice(18, 20)
"""The two versions in the head of a database (https://www.sqlite.org/fileformat2.html#the_database_header): 2 where
there is a write-ahead log; a database in memory must have 1."""


class Inspected(NamedTuple):
    """A journal that can be used: its rows, the schema of its file, and what its server noted last."""

    rows: Rows
    schema: int
    note: alive.Note | None


# Decision 052: reads in memory and changes nothing, so that a refused start leaves the folder as it was.
def inspect_file(
    path: Path,
    note: alive.Note | None,
    report_damage: ReportDamage = write_event,
    *,
    leave_out_damaged: bool = False,
) -> Inspected:
    """Read a journal that no process has open.

    Args:
        path: Its file.
        note: The note of its server on this generation.
        report_damage: Receives what is left out.
        leave_out_damaged: Whether to do without damaged and missing rows; the server's log says then what that is.

    Raises JournalError, with a sentence for the host.
    """
    log = WriteAheadLog(path)
    with convert_errors(path), closing(_replay_log(path, log)) as db:
        number = check_schema(db, path, newest_version())
        check_structure(db, path, number)
        migrate_schema(db, path)
        # First, because it says how much is missing; later findings may be consequences.
        _check_acknowledged(path, log, read_tally(db), note, number, report_damage if leave_out_damaged else None)
        check_database(db, path)
        rows = read_rows(db)
    check_rows(path, rows, report_damage, leave_out_damaged=leave_out_damaged)
    return Inspected(rows, number, note)


def inspect_used_file(path: Path) -> Rows:
    """Read a journal that a server has open, as it stands at this instant; damaged rows are in `damage`.

    Raises JournalError.
    """
    with convert_errors(path), closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True)) as db:
        register_functions(db)
        db.isolation_level = None
        db.execute("BEGIN")  # one instant for all that is read
        check_database(db, path)
        return read_rows(db)


def check_rows(
    path: Path, rows: Rows, report_damage: ReportDamage = write_event, *, leave_out_damaged: bool = False
) -> None:
    """Check that no row is missing, nor one damaged that protects players. Raises JournalError."""
    sentences = [damage.sentence for damage in rows.damage if damage.protects]
    if sentences and not leave_out_damaged:
        raise protected_error(path, sentences)
    if rows.incomplete and not leave_out_damaged:
        raise incomplete_error(path, rows.incomplete)
    if rows.incomplete:
        report_damage(Damage(path=str(path), reason=f"It is incomplete: {rows.incomplete}. The rest is used."))


def check_complete(path: Path, log: WriteAheadLog, tally: Tally | None, note: alive.Note | None, schema: int) -> None:
    """Check that a journal has every commit that its server acknowledged. Raises JournalError."""
    why = _missing_commits(log, tally, note, schema)
    if why:
        raise behind_error(path, why)


def _check_acknowledged(
    path: Path,
    log: WriteAheadLog,
    tally: Tally | None,
    note: alive.Note | None,
    schema: int,
    report_damage: ReportDamage | None,
) -> None:
    """Check the log and the newest commit; what is left out is reported, or refused where nobody wants it reported."""
    why = _missing_commits(log, tally, note, schema)
    if report_damage is None:
        if log.lost:
            raise damaged_log(log.path, log.lost, why)
        if why:
            raise behind_error(path, why)
    elif log.lost:
        report_damage(Damage(path=str(log.path), reason=f"{log.lost}. Everything after the damage is ignored."))
    if not log.lost and log.torn and not why:
        _log.warning(
            "The end of %s is incomplete and ignored: the server was killed during the last write. The %s commits "
            "before it are there.",
            log.path,
            log.commits,
        )
    if why and report_damage is not None:
        report_damage(Damage(path=str(path), reason=f"The journal is used as it is: {why}."))


def _missing_commits(log: WriteAheadLog, tally: Tally | None, note: alive.Note | None, schema: int) -> str:
    """Return a clause about acknowledged commits that are missing; empty when none is known to be."""
    noted = None if note is None else note.commits
    if note is not None and note.schema > schema:
        return f"its schema is {schema}, but its server has noted {note.schema} in {alive.ALIVE}: it is an older copy"
    if tally is None or schema < newest_version():
        return ""
    if note is not None and noted is not None and note.identity != tally.identity:
        return f"{alive.ALIVE} beside it is the note of another journal"
    if noted is not None and noted > tally.commits:
        return f"{noted - tally.commits} of the {noted} commits that its server has acknowledged are missing"
    if note is None and not tally.closed:
        return (
            f"its server did not close it, and {alive.ALIVE}, which names the newest commit, is missing or damaged, so "
            "nobody knows whether its end is missing"
        )
    if noted is None and not tally.closed and not log.commits:
        return f"its server did not close it, but {log.path.name} is missing, and {alive.ALIVE}, which could tell"
    return ""


def _replay_log(path: Path, log: WriteAheadLog) -> sqlite3.Connection:
    """Open a journal without a trace: the file as it is, or a copy in memory where anything has to be done first."""
    if log.commits or _schema_in(path) != newest_version():
        db = sqlite3.connect(":memory:", isolation_level=None)
        db.deserialize(image_of(path, log))
    else:
        db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)
    register_functions(db)
    return db


def image_of(path: Path, log: WriteAheadLog) -> bytes:
    """Return a journal with its log replayed, as one file of the same schema. Raises JournalError."""
    with _convert_opening_errors(path):
        main = path.read_bytes()
    image = log.replay_into(main) if log.commits else bytearray(main)
    # Else SQLite would look for a log, which a database in memory cannot have.
    image[_VERSIONS] = b"\1\1"
    return bytes(image)


def _schema_in(path: Path) -> int:
    with _convert_opening_errors(path):
        return schema_in(path)


@contextmanager
def _convert_opening_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise JournalError(f"The journal {path} cannot be opened: {error.strerror}.") from error
