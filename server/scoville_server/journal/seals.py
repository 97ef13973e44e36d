"""Seals: a checksum in every row, by which a start notices each altered bit."""

from hashlib import blake2b

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
