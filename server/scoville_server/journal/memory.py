"""A journal that lasts as long as the process: for practice, and for a server that promises no more."""

from collections.abc import Awaitable, Sequence

from scoville_server.background.eventual import Eventual
from scoville_server.journal.base import Entry, Kept, Known
from scoville_server.tables.model.records import AnyRecord, pack, replace_all, unpack
from scoville_shared.ids import TableId, UserId


class MemoryJournal:
    """Keeps records as the bytes that a durable journal would write, until their table is cleared away."""

    def __init__(self) -> None:
        self._kept: dict[TableId, list[bytes]] = {}
        self._people: dict[UserId, Known] = {}
        self._books: dict[str, dict[str, bytes]] = {}

    async def open(self) -> Kept:
        """Begin with what this object has kept, nothing in a new process."""
        books = {book: [*rows.items()] for book, rows in self._books.items()}
        return Kept(self._kept, [*self._people.values()], books)

    def append(self, table: TableId, records: Sequence[AnyRecord]) -> Awaitable[None]:
        """Keep records."""
        if replace_all(records):
            self._kept[table] = []
        self._kept.setdefault(table, []).extend([pack(record) for record in records])
        kept: Eventual[None] = Eventual()
        kept.set_result(None)
        return kept

    async def read(self, table: TableId) -> list[AnyRecord]:
        """Read back what was kept of a table."""
        return [unpack(data) for data in self._kept.get(table, ())]

    async def retire(self, table: TableId) -> None:
        """Forget a table."""
        self._kept.pop(table, None)

    async def remember(self, known: Known) -> None:
        """Keep who somebody is; the latest stands last."""
        self._people.pop(known.user, None)
        self._people[known.user] = known

    async def forget(self, user: UserId) -> None:
        """Forget somebody."""
        self._people.pop(user, None)

    async def note(self, entries: Sequence[Entry]) -> None:
        """Keep changes of books."""
        for book, key, value in entries:
            rows = self._books.setdefault(book, {})
            if value is None:
                rows.pop(key, None)
            else:
                rows[key] = value

    async def close(self) -> None:
        """Nothing is left to write."""
