"""Statements of a commit to the journal: records, users and rows of books, without transactions."""

import sqlite3
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import msgspec

from scoville_server.journal.appends import Appends
from scoville_server.journal.base import ABSENT, Change, Conflict, Revision, Row, StoredUser
from scoville_server.journal.faults import damage_error
from scoville_server.journal.files.alive import NoteFile
from scoville_server.journal.seals import seal_record, seal_row, sum_of
from scoville_shared.ids import TableId, UserId

REMEMBER = "INSERT OR REPLACE INTO users (user, number, name, lapsed, seal) VALUES (?, ?, ?, ?, ?)"
PUT = """
INSERT INTO books (book, key, n, value, seal) VALUES (?1, ?2, ?3, ?4, seal('books', ?1, ?2, ?3, ?4))
ON CONFLICT (book, key) DO UPDATE SET value = excluded.value, seal = seal('books', book, key, n, excluded.value)
RETURNING seal
"""
_GET = "SELECT n, value, seal FROM books WHERE book = ? AND key = ?"
_READ_BOOK = "SELECT key, n, value, seal FROM books WHERE book = ? ORDER BY n"
_DROP = "DELETE FROM books WHERE book = ? AND key = ? RETURNING seal"
_SEAL_OF_ROW = "SELECT seal FROM books WHERE book = ? AND key = ?"
_SEAL_OF_USER = "SELECT seal FROM users WHERE user = ?"
_READ = """
SELECT n, record, seal FROM records WHERE table_id = ?1
UNION ALL SELECT n, record, seal FROM recent WHERE table_id = ?1
ORDER BY n
"""


class Statements:
    """Reads and writes of one open journal, inside a transaction that the store ends.

    Every write begins it if need be, but for `appends`, the new records of tables: these share one statement, a
    transaction by itself. `note` is the file beside the journal that says when the server was last alive, once it is
    there. Raises sqlite3.Error.
    """

    def __init__(self, path: Path, db: sqlite3.Connection, appends: Appends) -> None:
        self._path = path
        self._db = db
        self.appends = appends
        self.has_deleted_user = False
        self.note: NoteFile | None = None
        # Numbers of the next rows: a row that is written again moves behind all others.
        self._users = count(_count_after(db, "SELECT max(number) FROM users"))
        self._rows_of_books = count(_count_after(db, "SELECT max(n) FROM books"))

    def read_records(self, table: TableId) -> list[bytes]:
        """Read a table's records. Raises JournalError when one is damaged."""
        if self.appends.has_waiting:
            self.begin_transaction()
            self.appends.insert_waiting()
        rows = self._db.execute(_READ, (table,)).fetchall()
        for expected, (n, record, sealed) in enumerate(rows, 1):
            if n != expected or seal_record(table, n, record) != sealed:
                raise damage_error(self._path, f"record {expected} of table {table}")
        return [record for _, record, _ in rows]

    def delete_records(self, table: TableId) -> None:
        """Drop a table's records."""
        self.begin_transaction()
        self.appends.insert_waiting()
        self.appends.delete_table(table)
        ordered = self._db.execute("DELETE FROM records WHERE table_id = ? RETURNING seal", (table,))
        self.appends.discount_rows(sealed for (sealed,) in ordered)
        self._db.execute("DELETE FROM heads WHERE table_id = ?", (table,))

    def order_records(self) -> None:
        """Move recent records to where they are ordered by table."""
        self.begin_transaction()
        self.appends.move_recent()

    def put_user(self, known: StoredUser) -> None:
        """Write a user."""
        lapsed = msgspec.json.encode(known.lapsed).decode()
        row = (known.user, next(self._users), known.name, lapsed)
        sealed = seal_row("users", *row)
        self.begin_transaction()
        # The seal of the row that is replaced: the tally subtracts it from its sum.
        former = self._db.execute(_SEAL_OF_USER, (known.user,)).fetchone()
        self._db.execute(REMEMBER, (*row, sealed))
        self.appends.count_row(sealed, *(former or ()))

    def delete_user(self, user: UserId) -> None:
        self.begin_transaction()
        self.has_deleted_user = True
        gone = self._db.execute("DELETE FROM users WHERE user = ? RETURNING seal", (user,))
        self.appends.discount_rows(sealed for (sealed,) in gone)

    def get_row(self, book: str, key: str) -> Row | None:
        """Read a row of a book. Raises JournalError when it is damaged."""
        found = self._db.execute(_GET, (book, key)).fetchone()
        if found is None:
            return None
        return self._check_row(book, key, *found)

    def read_book(self, book: str) -> list[tuple[str, Row]]:
        """Read the rows of a book, oldest first. Raises JournalError when one is damaged."""
        found = self._db.execute(_READ_BOOK, (book,)).fetchall()
        return [(key, self._check_row(book, key, n, value, sealed)) for key, n, value, sealed in found]

    def _check_row(self, book: str, key: str, n: int, value: bytes, sealed: bytes) -> Row:
        if seal_row("books", book, key, n, value) != sealed:
            raise damage_error(self._path, f"the row {key} of the book {book}")
        return Row(value, revision_of(sealed))

    def write_changes(self, changes: Sequence[Change]) -> list[Row | None]:
        """Change rows of books, and return them as they are then. Raises Conflict."""
        self.begin_transaction()
        return [self._write_change(change) for change in changes]

    def write_beat(self, now_ms: int) -> None:
        """Note that the server is alive; nothing of it is part of the commit."""
        if self.note is not None:
            self.note.note_time(now_ms)

    def begin_transaction(self) -> None:
        """Begin the transaction, unless it has begun."""
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")

    def _write_change(self, change: Change) -> Row | None:
        book, key, value, after = change
        # Compared inside the transaction, so that nothing comes between the look and the change.
        if after is not None and after != self._revision_of(book, key):
            raise Conflict(book, key)
        if value is None:
            self.appends.discount_rows(sealed for (sealed,) in self._db.execute(_DROP, (book, key)))
            return None
        # As above: the tally counts present rows, and this row takes the place of another one.
        former = self._db.execute(_SEAL_OF_ROW, (book, key)).fetchone()
        (sealed,) = self._db.execute(PUT, (book, key, next(self._rows_of_books), value)).fetchone()
        self.appends.count_row(sealed, *(former or ()))
        return Row(value, revision_of(sealed))

    def _revision_of(self, book: str, key: str) -> Revision:
        row = self._db.execute(_GET, (book, key)).fetchone()
        return ABSENT if row is None else revision_of(row[2])


def revision_of(sealed: bytes) -> Revision:
    """Return the revision of a row from its seal: another one for each value, and for a row that is made again."""
    return Revision(sum_of(sealed))


def _count_after(db: sqlite3.Connection, query: str) -> int:
    """Return the number after the highest one that a query finds."""
    (highest,) = db.execute(query).fetchone()
    return highest + 1 if isinstance(highest, int) else 1
