"""New records of tables, gathered while a commit is put together and inserted by as few statements as possible.

With them go the heads of their tables, by which a start notices that the last records are missing.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice

from scoville_server.journal.base import START, Fenced, Mark
from scoville_server.journal.seals import seal, seal_record, sum_of
from scoville_shared.ids import TableId

_LATEST = "SELECT n, seal FROM records WHERE table_id = ? ORDER BY n DESC LIMIT 1"
_RECORD = "INSERT INTO records (table_id, n, record, seal) VALUES (?, ?, ?, ?)"
HEAD = "INSERT OR REPLACE INTO heads (table_id, n, mark, seal) VALUES (?, ?, ?, ?)"
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
        self._grown: set[TableId] = set()
        """Tables whose heads are to be written."""

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
        self._grown.add(table)
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
        self._grown.discard(table)

    def flush(self) -> None:
        """Insert the added records, and the heads of their tables."""
        self._insert(_RECORD, self._rows)
        self._insert(HEAD, [head_row(table, *self._latest[table]) for table in self._grown])
        self._rows.clear()
        self._grown.clear()

    def _insert(self, statement: str, rows: Iterable[tuple[str | int | bytes, ...]]) -> None:
        left = iter(rows)
        while chunk := [*islice(left, _ROWS)]:
            self._db.execute(_of_many(statement, len(chunk)), [value for row in chunk for value in row])

    def undo(self) -> None:
        """Forget what a commit added that has failed."""
        self._rows.clear()
        self._latest.clear()
        self._grown.clear()


def head_row(table: str, n: int, mark: bytes) -> tuple[str, int, bytes, bytes]:
    """Return the row of a table's head, for the statement HEAD."""
    return table, n, mark, seal("heads", table, n, mark)


def mark_of(sealed: bytes) -> Mark:
    """Return the mark of a record from the seal of its row: the same for no two records of a table."""
    return Mark(sum_of(sealed))


@cache
def _of_many(statement: str, rows: int) -> str:
    return statement + ", (?, ?, ?, ?)" * (rows - 1)
