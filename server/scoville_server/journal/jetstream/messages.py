"""Messages in the engine: their subjects, and seals by which a hole, a fork and an altered byte are found."""

import re
import secrets
import struct
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scoville_server.journal.base import START, JournalError, Mark, Revision, Row
from scoville_server.journal.seals import checksum_of
from scoville_shared.ids import TableId

EPOCH: Final = "epoch"
FENCE: Final = "fence"
"""A message of every fenced write, which is refused with all others once another node has taken an epoch."""
LANES: Final = 8
"""How many fences an epoch has beside its own message. Nodes that write behind different ones do not wait for each
other: the engine judges no two writes with the same condition at once."""
BARRIER: Final = "barrier"
"""A message that proves that a replica has everything that was kept before it."""

_TABLE, _ROW = "t.", "r."
TABLES: Final = f"{_TABLE}>"
ROWS: Final = f"{_ROW}>"
"""All subjects of tables, and all of rows."""
_MARK = struct.Struct(">QQ8s")
_REVISION = struct.Struct(">Q")
_SPECIAL = re.compile(r"[^A-Za-z0-9_-]")
_ESCAPED = re.compile(r"=([0-9a-f]{2})")
_NONCE_BYTES = 8


def subject_of_lane(lane: int) -> str:
    """Return the subject of one of the fences of an epoch, without the prefix of the cluster."""
    return f"{EPOCH}.{lane}"


def subject_of_table(table: str) -> str:
    """Return the subject of a table's records, without the prefix of the cluster."""
    return _TABLE + escape_token(table)


def subject_of_row(book: str, key: str) -> str:
    """Return the subject of a row, without the prefix of the cluster."""
    return f"{_ROW}{escape_token(book)}.{escape_token(key)}"


def table_of(subject: str) -> TableId | None:
    """Return the table whose records a subject has, None for another subject."""
    return TableId(_unescape_token(subject.removeprefix(_TABLE))) if subject.startswith(_TABLE) else None


def row_of(subject: str) -> tuple[str, str] | None:
    """Return the book and the key of a row, None for another subject."""
    if not subject.startswith(_ROW):
        return None
    book, _, key = subject.removeprefix(_ROW).partition(".")
    return _unescape_token(book), _unescape_token(key)


_EMPTY: Final = "="


def escape_token(text: str) -> str:
    """Write a text as one token of a subject: letters and digits stay, so that hosts can read it."""
    return _SPECIAL.sub(_escape_letter, text) or _EMPTY


def _escape_letter(found: re.Match[str]) -> str:
    return "".join(f"={byte:02x}" for byte in found[0].encode())


def _unescape_token(token: str) -> str:
    if token == _EMPTY:
        return ""
    parts = _ESCAPED.split(token)
    data = b"".join(bytes([int(part, 16)]) if n % 2 else part.encode() for n, part in enumerate(parts))
    return data.decode(errors="replace")


# --- records of tables ----------------------------------------------------------------------------------


class TableMessage(Struct, frozen=True, array_like=True):
    """Records that were appended together.

    Attributes:
        n: How many records the table has before them.
        previous: The seal of the message before, empty for the first one.
        records: The records, oldest first.
        nonce: Differs in all messages: so a writer whose answer was lost recognizes its own.
        seal: The checksum of everything above and of the table's name.
        afresh: Whether they replace all earlier records.
    """

    n: int
    previous: bytes
    records: tuple[bytes, ...]
    nonce: bytes
    seal: bytes
    afresh: bool = False

    def is_whole(self, table: str) -> bool:
        """Whether nothing of the message was altered."""
        return self.seal == _seal_records(table, self)


class TableMark(NamedTuple):
    """The newest message of a table, as a `Mark` names it: its sequence, the records up to it, and its seal."""

    sequence: int = 0
    records: int = 0
    seal: bytes = b""

    @classmethod
    def read(cls, mark: Mark) -> "TableMark":
        return cls(*_MARK.unpack(mark)) if mark != START else cls()

    def write(self) -> Mark:
        return Mark(_MARK.pack(*self)) if self.sequence else START


def make_table_message(table: str, records: Sequence[bytes], after: TableMark, *, afresh: bool) -> TableMessage:
    """Make the message that appends records to a table, or replaces all of them."""
    n, previous = (0, b"") if afresh else (after.records, after.seal)
    message = TableMessage(n, previous, tuple(records), secrets.token_bytes(_NONCE_BYTES), b"", afresh)
    return replace(message, seal=_seal_records(table, message))


def _seal_records(table: str, message: TableMessage) -> bytes:
    return checksum_of("records", table, message.n, message.previous, message.nonce, *message.records)


class Chain:
    """The records of one table as its messages come in, oldest first.

    Attributes:
        messages: How many messages have them.
        fault: A clause about what is wrong.
        ahead: The value that the mirror's `ReadAhead` has made of the first ones.
    """

    def __init__(self, table: TableId) -> None:
        self.table = table
        self.records: list[bytes] = []
        self.mark = TableMark()
        self.messages = 0
        self.fault = ""
        self.ahead: object = None

    def take_message(self, sequence: int, payload: bytes) -> None:
        """Take the next message."""
        self.messages += 1
        try:
            message = msgspec.msgpack.decode(payload, type=TableMessage)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            self.fault = self.fault or f"the message {sequence} is damaged"
            return
        if message.afresh:
            self.records, self.mark, self.messages, self.fault, self.ahead = [], TableMark(), 1, "", None
        self.fault = self.fault or self._find_fault(sequence, message)
        self.records.extend(message.records)
        self.mark = TableMark(sequence, message.n + len(message.records), message.seal)

    def note_replacement(self, records: Sequence[bytes], mark: TableMark) -> None:
        """Note that one message has replaced all others."""
        self.records, self.mark, self.messages, self.fault, self.ahead = [*records], mark, 1, "", None

    def _find_fault(self, sequence: int, message: TableMessage) -> str:
        if not message.is_whole(self.table):
            return f"the message {sequence} is damaged"
        if message.n > self.mark.records:
            return f"its records {self.mark.records + 1} to {message.n} are missing"
        if message.n < self.mark.records or message.previous != self.mark.seal:
            return f"two histories of it exist from its record {message.n + 1} on"
        return ""


# --- rows -----------------------------------------------------------------------------------------------


class RowMessage(Struct, frozen=True, array_like=True):
    """A row of a book, or that there is none any more.

    Attributes:
        birth: The place of the row among those of its book.
        nonce: As for records.
        value: The value, None for a deleted row.
        seal: The checksum of everything above, the book and the key.
    """

    birth: int
    nonce: bytes
    value: bytes | None
    seal: bytes

    def is_whole(self, book: str, key: str) -> bool:
        """Whether nothing of the message was altered."""
        return self.seal == _seal_row(book, key, self.birth, self.nonce, self.value)


def make_row_message(book: str, key: str, birth: int, value: bytes | None) -> RowMessage:
    """Make the message that sets or deletes a row."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return RowMessage(birth, nonce, value, _seal_row(book, key, birth, nonce, value))


def read_row_message(book: str, key: str, payload: bytes) -> RowMessage:
    """Read a row. Raises JournalError when it is damaged."""
    try:
        message = msgspec.msgpack.decode(payload, type=RowMessage)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        message = None
    if message is None or not message.is_whole(book, key):
        raise JournalError(f"The row {key} of the book {book} is damaged in the engine.")
    return message


def _seal_row(book: str, key: str, birth: int, nonce: bytes, value: bytes | None) -> bytes:
    return checksum_of("row", book, key, birth, nonce, *(() if value is None else (value,)))


def row_at(sequence: int, value: bytes) -> Row:
    """Return a row with its revision, the sequence of its message."""
    return Row(value, Revision(_REVISION.pack(sequence)))


def sequence_of(revision: Revision) -> int:
    """Return the sequence that a revision names, 0 for `ABSENT`."""
    return _REVISION.unpack(revision)[0] if revision else 0


# --- epochs ---------------------------------------------------------------------------------------------


class EpochMessage(Struct, frozen=True, array_like=True):
    """Which node serves: the address at which users reach it, and a number that differs in all messages."""

    epoch: int
    node: str
    address: str
    nonce: bytes
