"""The tally: the journal's statement about itself, by which a start notices that rows or whole commits are missing.

It stands in the last row of `recent`, which every commit writes anyway: who the journal is, how many commits it has
had, how many rows it holds, the sum of their seals, and whether its server has closed it. Where files of different
moments are put together, by a copy of a running server for example, rows and sum do not fit. Where the end of the log
is missing, the journal has fewer commits than its server noted beside it (files/alive.py).
"""

import secrets
import struct
from typing import TYPE_CHECKING, NamedTuple

from scoville_server.journal.seals import seal_row, sum_of

if TYPE_CHECKING:
    import sqlite3

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
    """Return a seal as a number to add; 0 for what is no seal."""
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
