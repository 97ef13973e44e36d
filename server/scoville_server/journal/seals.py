"""Seals and the tally, by which a start notices altered bits, and that rows or whole commits are missing.

A seal is a checksum in every row. The tally is the journal's statement about itself. It stands in the last row of
`recent`, which every commit writes anyway: who the journal is, how many commits it has had, how many rows it holds, the
sum of their seals, and whether its server has closed it. Where files of different moments are put together, by a copy
of a running server for example, rows and sum do not fit. Where the end of the log is missing, the journal has fewer
commits than its server noted beside it (files/alive.py).
"""

import secrets
import struct
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3

Column = str | int | bytes
_SUM_BYTES = 8


def seal_row(kind: str, owner: str, *columns: Column) -> bytes:
    """Compute the seal of a row.

    Args:
        kind: The name of the row's table in the database.
        owner: Whose row it is: the id of a table or of a user, the name of a book.
        columns: All other columns, in their order.

    Returns:
        A checksum of 8 bytes, followed by the owner. When the owner's column is altered, this names the original owner.
    """
    # The owner is sealed as well: a damaged row names the table or book that lost it.
    return checksum_of(kind, owner, *columns) + owner.encode()


def checksum_of(kind: str, owner: str, *columns: Column) -> bytes:
    """Compute the 8 bytes of a seal that do not name the owner; the arguments are those of `seal_row`."""
    data = [column if isinstance(column, bytes) else str(column).encode() for column in (kind, owner, *columns)]
    return blake2b(b"".join([b"%d:%b" % (len(part), part) for part in data]), digest_size=_SUM_BYTES).digest()


def seal_record(table: str, n: int, record: bytes) -> bytes:
    """Compute the same as `seal("records", table, n, record)`, in a third of the time: every move pays for it."""
    owner, number = table.encode(), b"%d" % n
    text = b"7:records%d:%b%d:%b%d:%b" % (len(owner), owner, len(number), number, len(record), record)
    return blake2b(text, digest_size=_SUM_BYTES).digest() + owner


def sum_of(sealed: bytes) -> bytes:
    """Return the checksum of a seal, without the owner."""
    return sealed[:_SUM_BYTES]


def owner_of(seal: object) -> str:
    """Return the owner that a seal names, as far as it can be read."""
    return seal[_SUM_BYTES:].decode(errors="replace") if isinstance(seal, bytes) else ""


_FORM = struct.Struct(">16sQQQ?")
SUMS = 2**64
"""Sums of seals are modulo this."""
IDENTITY_BYTES = 16


# Decision 052: in the row that each commit writes anyway; a table of its own would cost one more page.
class Tally(NamedTuple):
    """Who a journal is, its commits so far, its rows, the sum of their seals, and whether it was closed.

    Rows are those of `records`, `recent`, `users` and `books`; heads follow from records.
    """

    identity: bytes
    commits: int = 0
    rows: int = 0
    total: int = 0
    closed: bool = False

    def after_commit(self, rows: int, total: int) -> "Tally":
        """Return the tally after one more commit, which adds so many rows and so much to the sum of the seals."""
        return Tally(self.identity, self.commits + 1, self.rows + rows, (self.total + total) % SUMS, self.closed)

    def as_column(self, mark: bytes) -> bytes:
        """Return the tally and the mark of the last recent record, as the column of the last row."""
        return _FORM.pack(self.identity, self.commits, self.rows, self.total, self.closed) + mark


def new_tally() -> Tally:
    """Return the tally of a new journal."""
    return Tally(secrets.token_bytes(IDENTITY_BYTES))


def read_column(column: bytes) -> tuple[Tally, bytes]:
    """Return the tally and the mark of a column. Raises ValueError when it is too short."""
    if len(column) < _FORM.size:
        raise ValueError
    return Tally(*_FORM.unpack_from(column)), column[_FORM.size :]


def number_of(sealed: object) -> int:
    """Return a seal as a number to add; 0 for a value that is not a seal."""
    return int.from_bytes(sum_of(sealed)) if isinstance(sealed, bytes) else 0


class _Total:
    """The SQL function `seal_total`, which adds seals up."""

    def __init__(self) -> None:
        self._total = 0

    def step(self, sealed: object) -> None:
        """Add a seal."""
        self._total += number_of(sealed)

    def finalize(self) -> bytes:
        """Return the sum: SQLite's own integers have a sign."""
        return (self._total % SUMS).to_bytes(8)


def register_functions(db: "sqlite3.Connection") -> None:
    """Define the SQL functions `seal`, `seal_total` and `first_tally` for a connection."""
    db.create_function("seal", -1, seal_row, deterministic=True)
    db.create_aggregate("seal_total", 1, _Total)  # type: ignore[arg-type]
    db.create_function("first_tally", 3, _first_column)


def _first_column(rows: int, total: bytes | None, mark: object) -> bytes:
    """Return the last row's column for a journal that has had none: it was whole when it was migrated."""
    tally = new_tally()._replace(rows=rows, total=int.from_bytes(total or b""), closed=True)
    return tally.as_column(mark if isinstance(mark, bytes) else b"")
