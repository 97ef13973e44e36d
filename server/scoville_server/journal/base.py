"""What a journal promises to the tables."""

from collections.abc import Sequence
from typing import Protocol

from scoville_server.table.records import AnyRecord
from scoville_shared.ids import TableId


class Journal(Protocol):
    """Keeps the records of every table, each table's in their order.

    A table tells nobody of a record before `append` has returned. An `append` that raises has kept nothing.
    """

    async def append(self, table: TableId, records: Sequence[AnyRecord]) -> None:
        """Keep records for good, all or none."""

    async def read(self, table: TableId) -> list[AnyRecord]:
        """Read back everything that was kept of a table, oldest first; nothing for an unknown one."""

    async def retire(self, table: TableId) -> None:
        """Take note that a table is cleared away and need not be opened again."""

    async def close(self) -> None:
        """Finish what is being written."""
