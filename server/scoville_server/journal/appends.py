"""New records of tables, gathered while a commit is put together and inserted by a single statement.

They go to the end of `recent`, whatever their tables: where each table has pages of its own, a commit would write two
pages for each table. Later they are moved to `records`, which is ordered by table, those of some tables at a time and
together with the heads of these tables, by which a start notices that the last records are missing. `recent` ends with
a row that counts the others, for the same purpose, and that has the tally of the whole journal: every commit writes it.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache

from scoville_server.journal.base import START, Fenced, Mark
from scoville_server.journal.seals import Tally, new_tally, number_of, read_column, seal_record, seal_row, sum_of
from scoville_shared.ids import TableId

END = 2**63 - 1
"""The number of the last row of `recent`, which counts the others."""
MOST_RECENT = 8_000
"""Rows of `recent` from which on some are moved: with a thousand tables eight of each, which go to the same page. With
4,000 a move of rows came twice as often and held up the slowest hundredth of all commits, with 16,000 for longer."""
_OLDEST = 128
"""Oldest rows whose tables are moved at a time. All at once would hold up a commit for 50 ms."""
_ROWS = 64
"""Records in one statement. Each statement lets the event loop's thread run, and has to wait for it again."""

HEAD = "INSERT OR REPLACE INTO heads (table_id, n, mark, seal) VALUES (?, ?, ?, ?)"
_INSERT = "INSERT OR REPLACE INTO recent (number, table_id, n, record, seal) VALUES "
END_ROW = _INSERT + "(?, ?, ?, ?, ?)"
_NEWEST = "SELECT n, seal FROM records WHERE table_id = ? ORDER BY n DESC LIMIT 1"
_NEWEST_RECENT = "SELECT table_id, max(n), seal FROM recent WHERE number < ? GROUP BY table_id"
_COUNT = "SELECT n, record FROM recent WHERE number = ?"
_LAST = "SELECT number, seal FROM recent WHERE number < ? ORDER BY number DESC LIMIT 1"
_BOUND = "SELECT number FROM recent WHERE number < ? ORDER BY number LIMIT 1 OFFSET ?"
_HEADS = """
SELECT table_id, max(n), seal FROM recent
WHERE table_id IN (SELECT table_id FROM recent WHERE number <= ?) GROUP BY table_id
"""
_MOVE = """
INSERT INTO records (table_id, n, record, seal) SELECT table_id, n, record, seal FROM recent
WHERE table_id IN (SELECT table_id FROM recent WHERE number <= ?) ORDER BY table_id, n
"""
_REMOVE = "DELETE FROM recent WHERE table_id IN (SELECT table_id FROM recent WHERE number <= ?)"
_DELETE = "DELETE FROM recent WHERE table_id = ? RETURNING seal"

Row = tuple[TableId, int, bytes, bytes]


# Decision 051: in the order of writing, since a table's records on pages of their own cost ten pages for five moves.
class Appends:
    """The records that the commit under way adds.

    The number and the mark of each table's latest record are looked up once and then remembered, until a commit fails,
    those of all recent records in one go; so are how many rows `recent` has, the number of the last one, and the tally.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._rows: list[Row] = []
        self._latest: dict[TableId, tuple[int, Mark]] = {}
        self._has_recent = False
        """Whether `_latest` has every table that has a row in `recent`, which has no index by table."""
        self._count: int | None = None
        self._last = 0
        self._mark = START
        """The mark of the last row of `recent`."""
        self._tally = new_tally()
        """That of the newest commit, once `_count` is known."""
        self._more_rows, self._more_total = 0, 0
        """The addition of the commit under way, without its own number."""
        self._stale = False
        """Whether the end has to be written, though no record is added."""
        self._written = False
        """Whether the commit under way has written the end."""

    @property
    def tally(self) -> Tally:
        """The tally of the newest commit. Raises sqlite3.Error."""
        self._count_rows()
        return self._tally

    def count_row(self, sealed: bytes, *replaced: bytes) -> None:
        """Count a row that the commit writes anywhere but here, in place of a former one with the seal `replaced`."""
        self._more_rows += 1
        self._more_total += number_of(sealed)
        self.discount_rows(replaced)
        self._stale = True

    def discount_rows(self, seals: Iterable[bytes]) -> None:
        """Count rows that the commit deletes, by their seals."""
        gone = [number_of(sealed) for sealed in seals]
        self._more_rows -= len(gone)
        self._more_total -= sum(gone)
        self._stale = True

    def count_closing(self, *, closed: bool) -> None:
        """Let the tally of this commit say whether the server has closed the journal."""
        self._count_rows()
        self._tally = self._tally._replace(closed=closed)
        self._stale = True

    def settle_commit(self) -> None:
        """Take the commit under way for done; one that has written nothing has no number."""
        if self._written:
            self._tally = self._current_tally()
            self._more_rows = self._more_total = 0
            self._written = False

    def _current_tally(self) -> Tally:
        return self._tally.after_commit(self._more_rows, self._more_total)

    @property
    def has_waiting(self) -> bool:
        """Whether there is something to insert."""
        return bool(self._rows)

    @property
    def is_unordered(self) -> bool:
        """Whether there is something to move. Raises sqlite3.Error."""
        return self._count_rows() > 0

    @property
    def fits_recent(self) -> bool:
        """Whether one statement can insert all of it, with nothing else to be done."""
        return len(self._rows) <= _ROWS and self._count_rows() < MOST_RECENT

    def mark_of(self, table: TableId) -> Mark:
        """Return the mark of a table's latest record."""
        return self._look_up(table)[1]

    def check_mark(self, table: TableId, after: Mark) -> None:
        """Check that a table's latest record is the expected one. Raises Fenced."""
        if self.mark_of(table) != after:
            raise Fenced(table)

    def add_records(self, table: TableId, records: Sequence[bytes]) -> Mark:
        """Add records behind those that a table has, and return the new mark; `insert_waiting` inserts them."""
        latest, mark = self._look_up(table)
        # The number and mark are computed here, so that a move needs no query before its insert.
        for n, record in enumerate(records, latest + 1):
            sealed = seal_record(table, n, record)
            self._rows.append((table, n, record, sealed))
            mark = mark_of(sealed)
            self._more_total += int.from_bytes(mark)
        self._more_rows += len(records)
        self._latest[table] = latest + len(records), mark
        return mark

    def _look_up(self, table: TableId) -> tuple[int, Mark]:
        # All tables in one go: `recent` has no index by table, so each look-up would read all of it.
        if table not in self._latest and not self._has_recent:
            recent = {table: (n, mark_of(sealed)) for table, n, sealed in self._db.execute(_NEWEST_RECENT, (END,))}
            # In this order: records of the commit under way are newer than stored ones.
            self._latest = recent | self._latest
            self._has_recent = True
        latest = self._latest.get(table)
        if latest is None:
            found = self._db.execute(_NEWEST, (table,)).fetchone()
            latest = self._latest[table] = (0, START) if found is None else (found[0], mark_of(found[1]))
        return latest

    def delete_table(self, table: TableId) -> None:
        """Delete a table's recent records, and forget its latest number; inside a transaction."""
        self._latest.pop(table, None)
        seals = [sealed for (sealed,) in self._db.execute(_DELETE, (table,))]
        self.discount_rows(seals)
        self._count_out(len(seals))

    def insert_waiting(self) -> None:
        """Insert the added records: by a single statement if they fit, else inside a transaction."""
        if self._count_rows() >= MOST_RECENT:
            bound = self._db.execute(_BOUND, (END, _OLDEST)).fetchone()
            self.move_recent(*bound or ())
        for start in range(0, len(self._rows), _ROWS):
            self._insert_rows(self._rows[start : start + _ROWS])
        self._rows.clear()
        if self._stale:
            self._write_end(self._count_rows())

    def _insert_rows(self, rows: Sequence[Row]) -> None:
        count = self._count_rows() + len(rows)
        values: list[str | int | bytes] = []
        for number, row in enumerate(rows, self._last + 1):
            values += (number, *row)
        self._last += len(rows)
        self._mark = mark_of(rows[-1][3])
        self._write_end(count, values)

    def move_recent(self, bound: int = END - 1) -> None:
        """Move recent records to where they are ordered by table: of all tables that have one up to number `bound`.

        Only inside a transaction.
        """
        heads = [head_row(table, n, mark_of(sealed)) for table, n, sealed in self._db.execute(_HEADS, (bound,))]
        self._db.execute(_MOVE, (bound,))
        self._db.executemany(HEAD, heads)
        self._count_out(self._db.execute(_REMOVE, (bound,)).rowcount)

    def _count_out(self, rows: int) -> None:
        """Count so many rows of `recent` out."""
        count = self._count_rows()
        # A deletion may have taken the last row, whose mark the end repeats.
        if rows:
            last = self._db.execute(_LAST, (END,)).fetchone()
            self._mark = START if last is None else mark_of(last[1])
            self._count = count - rows
            self._stale = True

    def _write_end(self, count: int, rows: Sequence[str | int | bytes] = ()) -> None:
        """Insert rows, and the end behind them."""
        end = end_row(count, self._current_tally().as_column(self._mark))
        self._db.execute(_of_many(len(rows) // 5 + 1), (*rows, *end))
        self._count = count
        self._stale, self._written = False, True

    def _count_rows(self) -> int:
        """Return how many rows `recent` has, the end not counted."""
        if self._count is None:
            found = self._db.execute(_COUNT, (END,)).fetchone()
            last = self._db.execute(_LAST, (END,)).fetchone()
            self._count, column = (0, b"") if found is None else found
            self._last, self._mark = (0, START) if last is None else (last[0], mark_of(last[1]))
            with suppress(ValueError):  # a damaged end has been reported, and left behind with its file
                self._tally, _ = read_column(column)
        return self._count

    def forget_uncommitted(self) -> None:
        """Forget the additions of a failed commit."""
        self._rows.clear()
        # Looked up again: the rows that these numbers counted were never stored.
        self._latest.clear()
        self._has_recent = False
        self._count = None
        self._more_rows = self._more_total = 0
        self._stale = self._written = False


def head_row(table: str, n: int, mark: bytes) -> tuple[str, int, bytes, bytes]:
    """Return the row of a table's head, for the statement HEAD."""
    return table, n, mark, seal_row("heads", table, n, mark)


def end_row(count: int, column: bytes) -> tuple[int, str, int, bytes, bytes]:
    """Return the last row of `recent`: how many others there are, and its column of the tally and the last mark."""
    return END, "", count, column, seal_record("", count, column)


def mark_of(sealed: bytes) -> Mark:
    """Return the mark of a record from the seal of its row: the same for no two records of a table."""
    return Mark(sum_of(sealed))


@cache
def _of_many(rows: int) -> str:
    return _INSERT + ", ".join(["(?, ?, ?, ?, ?)"] * rows)
