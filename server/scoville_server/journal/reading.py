"""Reading a whole journal, row by row, with a check of every seal: good rows, and damage."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from scoville_server.journal.appends import END, mark_of
from scoville_server.journal.base import START, Row, StoredUser
from scoville_server.journal.books import LOSABLE, PROTECTING
from scoville_server.journal.contents import JournalContents
from scoville_server.journal.faults import damage_error
from scoville_server.journal.seals import SUMS, Tally, number_of, owner_of, read_column, seal_record, seal_row, sum_of
from scoville_server.journal.statements import revision_of
from scoville_shared.ids import TableId, UserId

_OF_ROWS = re.compile(r"row \d+ missing|row not in PRIMARY KEY order|NULL value in|non-|TEXT value in|NUMERIC value in")
"""Verdicts of SQLite about rows that are altered but readable: their seals are more precise."""
_MANY = 1000


class Damage(NamedTuple):
    """A row or a table that cannot be used: a sentence about it, and whether it protects players from others."""

    sentence: str
    protects: bool = False


class Rows(NamedTuple):
    """All undamaged rows as they are stored: records of whole tables, users, rows of books; each oldest first.

    The rows of books have their seals. `tally` is what the journal says of itself, None if that is damaged, and
    `incomplete` a clause about what it lacks by that, empty if it lacks nothing or `damage` accounts for it.
    """

    records: list[tuple[str, int, bytes]]
    users: list[tuple[str, int, str, str]]
    books: list[tuple[str, str, int, bytes, bytes]]
    damage: list[Damage]
    tally: Tally | None = None
    incomplete: str = ""

    def as_kept(self) -> JournalContents:
        """Return the rows grouped by table and book, as the server restores them."""
        tables: dict[TableId, list[bytes]] = {}
        latest: dict[TableId, tuple[int, bytes]] = {}
        for name, n, record in self.records:
            table = TableId(name)
            tables.setdefault(table, []).append(record)
            latest[table] = n, record
        marks = {table: mark_of(seal_record(table, n, record)) for table, (n, record) in latest.items()}
        books: dict[str, list[tuple[str, Row]]] = {}
        for book, key, _, value, sealed in self.books:
            books.setdefault(book, []).append((key, Row(value, revision_of(sealed))))
        users = [_as_user(user, name, lapsed) for user, _, name, lapsed in self.users]
        return JournalContents(tables, users, books, marks=marks)


def read_rows(db: sqlite3.Connection) -> Rows:
    """Read everything. Raises sqlite3.Error for damaged pages, but nothing for damaged rows: `damage` lists those."""
    db.text_factory = bytearray  # tells texts from blobs, and takes bytes that are no text
    try:
        damage: list[Damage] = []
        records, users, books = [*_read_records(db, damage)], _read_users(db, damage), _read_books(db, damage)
        tally = read_tally(db)
        return Rows(records, users, books, damage, tally, _find_missing(db, tally, damage))
    finally:
        db.text_factory = str


def check_database(db: sqlite3.Connection, path: Path) -> None:
    """Read every page once. Raises JournalError when one is damaged: half a journal is none."""
    for (verdict,) in db.execute(f"PRAGMA quick_check({_MANY})"):
        if verdict != "ok" and not _OF_ROWS.match(verdict):
            raise damage_error(path, verdict.splitlines()[-1])


_COUNTED = "SELECT number, n, record, seal FROM recent WHERE number = ?"
_SEALS = """
SELECT seal FROM records UNION ALL SELECT seal FROM recent WHERE number != ?
UNION ALL SELECT seal FROM users UNION ALL SELECT seal FROM books
"""


def read_tally(db: sqlite3.Connection) -> Tally | None:
    """Read the journal's account of itself; None if that is missing or damaged."""
    found = db.execute(_COUNTED, (END,)).fetchone()
    if found is None or tuple(map(type, found)) != (int, int, bytes, bytes):
        return None
    _, count, column, sealed = found
    try:
        return read_column(column)[0] if seal_record("", count, column) == sealed else None
    except ValueError:
        return None


def _find_missing(db: sqlite3.Connection, tally: Tally | None, damage: list[Damage]) -> str:
    """Return a clause about rows that are missing, or that are not those of the newest commit.

    In a journal that was closed, rows that are reported as damaged account for it. One that was not may consist of
    files of different moments: there only an altered seal accounts for it, and no missing row.
    """
    if tally is None:
        return "the row by which it counts its rows is damaged or missing"
    rows = total = 0
    for (sealed,) in db.execute(_SEALS, (END,)):
        rows, total = rows + 1, total + number_of(sealed)
    if (rows, total % SUMS) == (tally.rows, tally.total) or (damage and (tally.closed or rows == tally.rows)):
        return ""
    if rows < tally.rows:
        return f"{tally.rows - rows} of its {tally.rows} rows are missing"
    return "its rows are not those of its latest commit"


def _sealed_rows(
    db: sqlite3.Connection, kind: str, columns: str, types: tuple[type, ...]
) -> Iterator[tuple[bool, Any]]:
    """Read a table's rows, each as whether it is as it was written, and its values.

    The last value is the seal, that of a damaged row the owner whom the seal names.
    """
    for row in db.execute(f"SELECT {columns}, seal FROM {kind}"):  # noqa: S608 - names of our own
        *values, sealed = row
        if tuple(map(type, values)) == types:
            try:
                plain = [value.decode() if isinstance(value, bytearray) else value for value in values]
                if seal_row(kind, *plain) == sealed:
                    yield True, [*plain, sealed]
                    continue
            except UnicodeDecodeError:
                pass
        yield False, [_name_value(value) for value in values] + [owner_of(sealed)]


def _as_text(value: object) -> str | None:
    """Return a text of the database; None for a blob, a number, or bytes that are no text."""
    try:
        return value.decode() if type(value) is bytearray else None
    except UnicodeDecodeError:
        return None


def _name_value(value: object) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes | bytearray) else str(value)


# --- tables ---------------------------------------------------------------------------------------------


class _SoundRecords:
    """Undamaged records by table and number, and why a table is spoilt."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[int, bytes]] = {}
        self.spoilt: dict[str, str] = {}

    def take_row(self, table: object, n: object, record: object, sealed: object) -> None:
        """Take a row, or note whose record is damaged."""
        name = _as_text(table)
        if name is not None and type(n) is int and type(record) is bytes and seal_record(name, n, record) == sealed:
            self.tables.setdefault(name, {})[n] = record
        else:
            # Both columns: either of them or the seal may have been altered.
            for spoiled in {_name_value(table), owner_of(sealed)}:
                self.spoilt.setdefault(spoiled, f"its record {n} is damaged")


def _read_records(db: sqlite3.Connection, damage: list[Damage]) -> Iterator[tuple[str, int, bytes]]:
    """Read whole tables. One that lacks a record is left out: half a game would be another game."""
    found = _SoundRecords()
    for row in db.execute("SELECT table_id, n, record, seal FROM records"):
        found.take_row(*row)
    ordered = {table: dict(records) for table, records in found.tables.items()}
    _take_recent(db, found, damage)
    heads = _read_heads(db, found.spoilt)
    known = {*found.tables, *heads, *(name for name in found.spoilt if name)}
    for table in sorted(known):
        records = sorted(found.tables.get(table, {}).items())
        missing = next((n for n, (number, _) in enumerate(records, 1) if n != number), None)
        why = found.spoilt.get(table) or (f"its record {missing} is missing" if missing else "")
        if not why and (table in ordered or table in heads):
            why = _end_missing(table, sorted(ordered.get(table, {}).items()), heads.get(table))
        # The whole table is left out: half a game would be another game.
        if why:
            damage.append(Damage(f"Table {_shorten_text(table)} cannot be reopened: {why}."))
        else:
            yield from ((table, n, record) for n, record in records)


def _take_recent(db: sqlite3.Connection, found: _SoundRecords, damage: list[Damage]) -> None:
    """Take the records that are not ordered by table yet, and compare them with the row that counts them."""
    end, seals = None, []
    for number, *row in db.execute("SELECT number, table_id, n, record, seal FROM recent"):
        if number == END:
            end = row
        else:
            found.take_row(*row)
            seals.append(row[-1])
    missing = _recent_missing(end, seals)
    if missing:
        damage.append(Damage(f"{missing}: some tables may lack their latest moves."))


def _recent_missing(end: list[Any] | None, seals: list[Any]) -> str:
    """Return a clause about missing recent records, empty if there are none."""
    if end is None or tuple(map(type, end)) != (bytearray, int, bytes, bytes):
        return "The number of the latest records is missing"
    _, expected, column, sealed = end
    if seal_record("", expected, column) != sealed:
        return "The number of the latest records is damaged"
    mark = read_column(column)[1]
    if len(seals) < expected:
        return f"{len(seals)} of the latest {expected} records are there"
    marks = [mark_of(sealed) for sealed in seals if type(sealed) is bytes] or [START]
    return "" if len(seals) == expected and mark in marks else "The latest record is not there as it was saved"


def _read_heads(db: sqlite3.Connection, spoilt: dict[str, str]) -> dict[str, tuple[int, bytes]]:
    """Read the number and the mark of each table's newest record; damaged heads are added to `spoilt`."""
    heads: dict[str, tuple[int, bytes]] = {}
    for good, values in _sealed_rows(db, "heads", "table_id, n, mark", (bytearray, int, bytes)):
        if good:
            table, n, mark, _ = values
            heads[table] = (n, mark)
        else:
            for table in {values[0], values[-1]}:
                spoilt.setdefault(table, "the number of its records is damaged")
    return heads


def _end_missing(table: str, records: list[tuple[int, bytes]], head: tuple[int, bytes] | None) -> str:
    """Return a clause about records that are missing at the end of a table; empty if none is."""
    if head is None:
        return "the number of its records is missing"
    last = records[-1][0] if records else 0
    if last < head[0]:
        one = last + 1 == head[0]
        return f"its record {head[0]} is missing" if one else f"its records {last + 1} to {head[0]} are missing"
    newest = sum_of(seal_record(table, last, records[-1][1]))
    return "" if (last, newest) == head else f"its records after {head[0]} were never saved"


def _shorten_text(text: str) -> str:
    """Return a damaged text in a form that is safe to print."""
    return text if text.isprintable() and len(text) < 100 else ascii(text[:100])


# --- users and books ------------------------------------------------------------------------------------


def _read_users(db: sqlite3.Connection, damage: list[Damage]) -> list[tuple[str, int, str, str]]:
    found: list[tuple[str, int, str, str]] = []
    for good, values in _sealed_rows(db, "users", "user, number, name, lapsed", (bytearray, int, bytearray, bytearray)):
        if good:
            found.append(tuple(values[:-1]))
        else:
            damage.append(
                Damage(
                    f"The user {_shorten_text(values[2])} ({_shorten_text(values[-1])}) is ignored: the row is damaged."
                )
            )
    return sorted(found, key=lambda row: row[1])


def _read_books(db: sqlite3.Connection, damage: list[Damage]) -> list[tuple[str, str, int, bytes, bytes]]:
    found: list[tuple[str, str, int, bytes, bytes]] = []
    for good, values in _sealed_rows(db, "books", "book, key, n, value", (bytearray, bytearray, int, bytes)):
        if good:
            found.append(tuple(values))
        else:
            damage.append(_of_book(column=values[0], key=values[1], owner=values[-1]))
    return sorted(found, key=lambda row: row[2])


def _of_book(column: str, key: str, owner: str) -> Damage:
    """Return the damage of a row. Its names may be damaged too; an unknown book counts as protecting players."""
    book = next((name for name in (owner, column) if name in PROTECTING), owner if owner in LOSABLE else column)
    return Damage(
        f"The row {_shorten_text(key)} of the book {_shorten_text(book)} is ignored: it is damaged.",
        protects=book not in LOSABLE,
    )


def _as_user(user: str, name: str, lapsed: str) -> StoredUser:
    return StoredUser(user=UserId(user), name=name, lapsed=msgspec.json.decode(lapsed, type=tuple[TableId, ...]))
