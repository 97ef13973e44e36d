"""Repair of a damaged journal: its undamaged rows in a generation of their own; the damaged files stay as they are."""

import contextlib
import logging
import sqlite3
from pathlib import Path

from scoville_runtime.atomic_files import sync_folder
from scoville_server.journal.appends import END_ROW, HEAD, end_row, head_row, mark_of
from scoville_server.journal.base import START, JournalError
from scoville_server.journal.files import disk, generations
from scoville_server.journal.opening import make_journal, name_journal, open_journal
from scoville_server.journal.reading import Rows
from scoville_server.journal.seals import seal_record, seal_row
from scoville_server.journal.statements import PUT, REMEMBER
from scoville_server.journal.tally import SUMS, Tally, new_tally, number_of

_log = logging.getLogger(__name__)

_APPEND = "INSERT INTO records (table_id, n, record, seal) VALUES (?, ?, ?, ?)"


def write_undamaged(folder: Path, former: Path, rows: Rows, noted: int) -> int:
    """Write the good rows of a journal into the next generation, which is the current one then; returns its number.

    Raises JournalError. `noted` is the newest commit that the server has acknowledged.
    """
    for damage in rows.damage:
        _log.error("%s", damage.sentence)
    # Never fewer than were acknowledged, or the next start would miss commits that are left out on purpose.
    commits = max(noted, 0 if rows.tally is None else rows.tally.commits)
    try:
        number = generations.next_number(folder)
        path = generations.journal_of(folder, number)
        disk.make_folder(path.parent)
        _write_rows(path, rows, commits)
        sync_folder(path.parent.parent)
        sync_folder(folder)
        generations.publish_generation(folder, number)
    except (OSError, sqlite3.Error) as error:
        raise JournalError(f"The undamaged rows of {former} cannot be written to a new journal: {error}.") from error
    return number


def _write_rows(path: Path, rows: Rows, commits: int) -> None:
    """Make a journal of these rows, complete in one file and on the disk. Raises sqlite3.Error, OSError."""
    newest_of = {row[0]: row for row in rows.records}
    records = [(*row, seal_row("records", *row)) for row in rows.records]
    users = [(*row, seal_row("users", *row)) for row in rows.users]
    seals = [row[-1] for row in (*records, *users, *rows.books)]
    # The same server as before: its note and its backups still belong to it.
    identity = new_tally().identity if rows.tally is None else rows.tally.identity
    tally = Tally(identity, commits, len(seals), sum(map(number_of, seals)) % SUMS, closed=True)
    make_journal(path)
    name_journal(path)
    with contextlib.closing(open_journal(path)) as db:
        db.execute("BEGIN")
        db.executemany(_APPEND, records)
        db.executemany(
            HEAD,
            [head_row(table, n, mark_of(seal_record(table, n, record))) for table, n, record in newest_of.values()],
        )
        db.executemany(REMEMBER, users)
        db.executemany(PUT, [row[:-1] for row in rows.books])
        db.execute(END_ROW, end_row(0, tally.as_column(START)))
        db.execute("COMMIT")
    disk.sync_file(path)
    sync_folder(path.parent)
