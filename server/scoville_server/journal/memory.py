"""In-memory implementation of the Journal protocol, for practice and for servers without a data folder."""

from collections.abc import Awaitable, Sequence

from scoville_server.background.eventual import Eventual
from scoville_server.identity.key import ServerKey
from scoville_server.journal.base import START, Entry, Fenced, Kept, Mark, StoredUser
from scoville_shared.ids import TableId, UserId


class MemoryJournal:
    """Keeps records as the bytes that a durable journal would write, until their table is cleared away."""

    def __init__(self) -> None:
        self._kept: dict[TableId, list[bytes]] = {}
        self._marks: dict[TableId, Mark] = {}
        self._appends = 0
        self._users: dict[UserId, StoredUser] = {}
        self._books: dict[str, dict[str, bytes]] = {}
        self._key = ServerKey.new()

    async def open(self) -> Kept:
        """Begin with what this object has kept, nothing in a new process."""
        books = {book: [*rows.items()] for book, rows in self._books.items()}
        return Kept(self._kept, [*self._users.values()], books, marks={**self._marks}, key=self._key)

    def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Awaitable[Mark]:
        """Keep records."""
        kept: Eventual[Mark] = Eventual()
        if self._marks.get(table, START) != after:
            kept.set_exception(Fenced(table))
            return kept
        if afresh:
            self._kept[table] = []
        self._kept.setdefault(table, []).extend(records)
        self._appends += 1
        self._marks[table] = Mark(b"%d" % self._appends)
        kept.set_result(self._marks[table])
        return kept

    async def read(self, table: TableId) -> tuple[list[bytes], Mark]:
        """Return a table's records and their mark."""
        return [*self._kept.get(table, ())], self._marks.get(table, START)

    async def retire(self, table: TableId, after: Mark) -> None:
        """Delete a table's records."""
        if table in self._marks:
            if self._marks[table] != after:
                raise Fenced(table)
            del self._kept[table], self._marks[table]

    async def remember(self, known: StoredUser) -> None:
        """Store a user; the latest one comes last."""
        self._users.pop(known.user, None)
        self._users[known.user] = known

    async def forget(self, user: UserId) -> None:
        """Delete a user."""
        self._users.pop(user, None)

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
