"""Journals for tests, with records as values."""

from collections.abc import Sequence

from scoville_server.journal.base import Journal, Mark
from scoville_server.tables.model.records import Record
from scoville_server.tables.storage import pack_record, replaces_all, unpack_record
from scoville_shared.ids import TableId


async def keep(journal: Journal, table: TableId, records: Sequence[Record]) -> Mark:
    """Append records behind whatever the table has."""
    _, mark = await journal.read(table)
    return await journal.append(table, [*map(pack_record, records)], mark, afresh=replaces_all(records))


async def kept_records(journal: Journal, table: TableId) -> list[Record]:
    """Read a table's records."""
    records, _ = await journal.read(table)
    return [*map(unpack_record, records)]
