"""The records of one table in the journal."""

from collections.abc import Sequence
from functools import reduce
from operator import or_

import msgspec

from scoville_server.background.eventual import Pending, begun
from scoville_server.journal.base import Fenced, Journal, Mark
from scoville_server.tables.actions.condense import Condensed
from scoville_server.tables.model.records import Created, Record
from scoville_server.tables.state_machine import RECORD_TYPES
from scoville_shared.errors import Code
from scoville_shared.ids import TableId


def replaces_all(records: Sequence[Record]) -> bool:
    """Whether the records are a whole condensed table and replace all of its earlier ones."""
    return len(records) > 1 and isinstance(records[0], Created) and isinstance(records[1], Condensed)


_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[Record] = msgspec.msgpack.Decoder(reduce(or_, RECORD_TYPES))


def pack_record(record: Record) -> bytes:
    """Encode a record as MessagePack."""
    return _encoder.encode(record)


def unpack_record(data: bytes) -> Record:
    """Decode a record.

    Raises msgspec.DecodeError for bytes that `pack` did not write.
    """
    return _decoder.decode(data)


Read = tuple[list[bytes], Mark]
"""All packed records of a table, and the mark of the newest."""


class RecordLog:
    """Appends the records of one `table`, fenced by a mark.

    Attributes:
        mark: The mark of the newest record: the journal refuses an append if another writer has added one.
        doubtful: Whether the journal may have kept records that the table lacks: they must be read back.
    """

    __slots__ = ("_journal", "_table", "doubtful", "mark")

    def __init__(self, journal: Journal, table: TableId, mark: Mark) -> None:
        self._journal = journal
        self._table = table
        self.mark = mark
        self.doubtful = False

    def append_records(self, records: Sequence[Record]) -> Pending[Mark]:
        """Append records; `appended` takes the result. Raises what packing or the journal raise."""
        packed, afresh = [pack_record(record) for record in records], replaces_all(records)
        return begun(self._journal.append(self._table, packed, self.mark, afresh=afresh))

    def adopt_append(self, kept: Pending[Mark]) -> None:
        """Adopt the result of an append. Raises its error, after which the log may be doubtful."""
        try:
            self.mark = kept.result()
        except BaseException as error:
            # Other errors are certain: nothing was written, and the next append may use the same mark.
            self.doubtful = isinstance(error, Fenced) or getattr(error, "code", "") == Code.OUTCOME_UNKNOWN
            raise

    def read_records(self) -> Pending[Read]:
        """Read all records after a doubtful append; `added` takes the result."""
        return begun(self._journal.read(self._table))

    def list_added(self, found: Pending[Read]) -> list[Record] | None:
        """Return all records if the journal has more than the table, else None. Raises the error of `read`."""
        packed, mark = found.result()
        # Marks name contents, so equal ones say that nothing was added without reading it.
        return [unpack_record(record) for record in packed] if mark != self.mark else None

    def adopt_read(self, found: Pending[Read]) -> None:
        """Adopt what was read: the table has the records of the journal."""
        _, self.mark = found.result()
        self.doubtful = False
