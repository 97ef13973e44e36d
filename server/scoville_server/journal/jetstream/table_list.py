"""Which tables the engine has records of, by the counts of its leader."""

from collections.abc import Mapping
from itertools import islice

from scoville_server.journal.jetstream.engine import MOST_IN_BATCH, Engine
from scoville_server.journal.jetstream.messages import TABLES, table_of
from scoville_shared.ids import TableId


class TableList:
    """Lists the tables that have records, without reading any.

    A table that was deleted has one message for a day, which says so. A table of one message may be such a one, so that
    message is read, once for each table that is deleted; a new table soon has more.

    Args:
        engine: The engine.
        deleted: The sequences of messages that say that something was deleted, as far as this node knows, by subject.
    """

    def __init__(self, engine: Engine, deleted: Mapping[str, int]) -> None:
        self._engine = engine
        self._deleted = deleted
        self._found: set[str] = set()
        """The subjects of tables that were found to be deleted."""

    async def list_tables(self) -> list[TableId]:
        """List the tables that have records. Raises JournalError."""
        counts = await self._engine.count_messages(TABLES)
        self._found &= counts.keys()
        await self._find_deleted([each for each, count in counts.items() if count == 1 and not self._is_deleted(each)])
        left = [table_of(subject) for subject in counts if not self._is_deleted(subject)]
        return [table for table in left if table is not None]

    def _is_deleted(self, subject: str) -> bool:
        return subject in self._found or subject in self._deleted

    async def _find_deleted(self, subjects: list[str]) -> None:
        unread = iter(subjects)
        while portion := [*islice(unread, MOST_IN_BATCH)]:
            last = await self._engine.read_last(portion)
            # One that is gone meanwhile has none either.
            self._found.update(each for each in portion if each not in last or not last[each].payload)
