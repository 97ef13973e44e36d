"""The contents of a journal as a whole, and the newest time in them, by which a clock that is wrong is found."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from scoville_server.identity import ServerKey
from scoville_server.journal.base import Mark, Row, StoredUser
from scoville_shared.ids import TableId

BOOK: Final = "clock"
"""The book of the newest time that a server has trusted."""


class JournalContents(NamedTuple):
    """Contents of a journal on disk, each oldest first: packed records of open tables, users, rows of books.

    `marks` are those of the tables' newest records. `alive_ms` is when the former run was last known to be alive, in
    milliseconds since 1970, or None. `key` is the server's private key.
    """

    tables: Mapping[TableId, Sequence[bytes]]
    users: Sequence[StoredUser]
    books: Mapping[str, Sequence[tuple[str, Row]]] = {}
    alive_ms: int | None = None
    marks: Mapping[TableId, Mark] = {}
    key: ServerKey | None = None


class KnownTime(Struct, frozen=True):
    """The newest time that a server has trusted, in milliseconds since 1970."""

    at_ms: int


def newest_ms(
    tables: Mapping[TableId, Sequence[bytes]],
    books: Mapping[str, Sequence[tuple[str, Row]]],
    alive_ms: int | None = None,
) -> int:
    """Return the newest time that is known (milliseconds since 1970): the remembered one, or 0 if there is none.

    In a journal of an older version it is the latest time of any stored event, or when the former run was last alive;
    times that lie ahead, such as expiries, do not count.
    """
    for _, row in books.get(BOOK, ()):
        with suppress(msgspec.MsgspecError, UnicodeDecodeError):
            return _KNOWN(row.value).at_ms
    return max((alive_ms or 0, *(max(_times_of(data), default=0) for data in _dated_rows(tables, books))))


class _Dated(Struct, frozen=True):
    """The field names of event times."""

    at_ms: int = 0
    used_ms: int = 0
    created_ms: int = 0
    since_ms: int = 0


def _dated_rows(
    tables: Mapping[TableId, Sequence[bytes]], books: Mapping[str, Sequence[tuple[str, Row]]]
) -> Iterator[bytes]:
    yield from (records[-1] for records in tables.values() if records)
    for rows in books.values():
        yield from (row.value for _, row in rows)


def _times_of(data: bytes) -> Iterable[int]:
    with suppress(msgspec.MsgspecError, UnicodeDecodeError):
        return msgspec.structs.astuple(_READ(data))
    return ()


_KNOWN = msgspec.msgpack.Decoder(KnownTime).decode
_READ = msgspec.msgpack.Decoder(_Dated).decode
