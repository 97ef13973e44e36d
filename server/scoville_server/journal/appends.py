"""New records of tables, gathered while a commit is put together and inserted by as few statements as possible."""

import sqlite3
from collections.abc import Sequence
from functools import cache
from itertools import islice

from scoville_server.journal.seals import seal_record
from scoville_shared.ids import TableId

_LATEST = "SELECT coalesce(max(n), 0) FROM records WHERE table_id = ?"
_ROWS = 16
"""Rows in one statement. Each statement lets the event loop's thread run and has to wait for it again, so four moves in
one commit take a quarter less CPU than by a statement each; more than sixteen gain nothing."""

Row = tuple[TableId, int, bytes, bytes]


class Appends:
    """The records that the commit under way adds.

    The number of each table's latest record is looked up once and then remembered, until a commit fails.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._rows: list[Row] = []
        self._latest: dict[TableId, int] = {}

    def add(self, table: TableId, records: Sequence[bytes]) -> None:
        """Add records behind those that a table has; they are inserted by `flush`."""
        latest = self._latest.get(table)
        if latest is None:
            (latest,) = self._db.execute(_LATEST, (table,)).fetchone()
        for n, record in enumerate(records, latest + 1):
            self._rows.append((table, n, record, seal_record(table, n, record)))
        self._latest[table] = latest + len(records)

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


@cache
def _insert(rows: int) -> str:
    return f"INSERT INTO records (table_id, n, record, seal) VALUES {', '.join(['(?, ?, ?, ?)'] * rows)}"  # noqa: S608 - no outside text
