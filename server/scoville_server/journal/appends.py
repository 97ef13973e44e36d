"""New records of tables, gathered while a commit is put together and inserted by as few statements as possible."""

import sqlite3
from collections.abc import Sequence
from functools import cache
from itertools import islice

from scoville_server.journal.base import START, Fenced, Mark
from scoville_server.journal.seals import seal_record, sum_of
from scoville_shared.ids import TableId

_LATEST = "SELECT n, seal FROM records WHERE table_id = ? ORDER BY n DESC LIMIT 1"
_ROWS = 16
"""Rows in one statement. Each statement lets the event loop's thread run and has to wait for it again, so four moves in
one commit take a quarter less CPU than by a statement each; more than sixteen gain nothing."""

Row = tuple[TableId, int, bytes, bytes]


class Appends:
    """The records that the commit under way adds.

    The number and the mark of each table's latest record are looked up once and then remembered, until a commit fails.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._rows: list[Row] = []
        self._latest: dict[TableId, tuple[int, Mark]] = {}

    def mark(self, table: TableId) -> Mark:
        """Return the mark of a table's latest record."""
        return self._look_up(table)[1]

    def check(self, table: TableId, after: Mark) -> None:
        """Check that a table's latest record is the expected one. Raises Fenced."""
        if self.mark(table) != after:
            raise Fenced(table)

    def add(self, table: TableId, records: Sequence[bytes]) -> Mark:
        """Add records behind those that a table has, and return the new mark; `flush` inserts them."""
        latest, mark = self._look_up(table)
        for n, record in enumerate(records, latest + 1):
            sealed = seal_record(table, n, record)
            self._rows.append((table, n, record, sealed))
            mark = mark_of(sealed)
        self._latest[table] = latest + len(records), mark
        return mark

    def _look_up(self, table: TableId) -> tuple[int, Mark]:
        latest = self._latest.get(table)
        if latest is None:
            row = self._db.execute(_LATEST, (table,)).fetchone()
            latest = self._latest[table] = (0, START) if row is None else (row[0], mark_of(row[1]))
        return latest

    def forget(self, table: TableId) -> None:
        """Forget a table's latest number, because its records are deleted."""
        self._latest.pop(table, None)

    def flush(self) -> None:
        """Insert what was added."""
        rows = iter(self._rows)
        while chunk := [*islice(rows, _ROWS)]:
            self._db.execute(_insert(len(chunk)), [value for row in chunk for value in row])
        self._rows.clear()

    def undo(self) -> None:
        """Forget what a commit added that has failed."""
        self._rows.clear()
        self._latest.clear()


def mark_of(sealed: bytes) -> Mark:
    """Return the mark of a record from the seal of its row: the same for no two records of a table."""
    return Mark(sum_of(sealed))


@cache
def _insert(rows: int) -> str:
    return f"INSERT INTO records (table_id, n, record, seal) VALUES {', '.join(['(?, ?, ?, ?)'] * rows)}"  # noqa: S608 - no outside text
