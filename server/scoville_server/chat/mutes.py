"""Whom the host of a table has silenced there. By person, and for as long as the table stands."""

from msgspec import Struct

from scoville_server.journal.base import Journal
from scoville_server.journal.books import Book
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId


class Muted(Struct, frozen=True):
    """That it is so."""


class Mutes:
    """Up to `limit` at each table, kept in the book "mutes": one entry for each table and person."""

    def __init__(self, limit: int, journal: Journal) -> None:
        self.book = Book("mutes", Muted, journal)
        self._limit = limit
        self._at: dict[TableId, set[UserId]] = {}

    def restore(self) -> None:
        """Take up what the book holds."""
        for table, _, person in (key.partition("/") for key, _ in self.book.items()):
            self._at.setdefault(TableId(table), set()).add(UserId(person))

    @property
    def tables(self) -> list[TableId]:
        """The tables at which somebody is silenced."""
        return [*self._at]

    def silences(self, table: TableId, person: UserId) -> bool:
        """Tell whether somebody may not talk at a table."""
        return person in self._at.get(table, ())

    async def put(self, table: TableId, person: UserId) -> None:
        """Silence somebody. Raises ScovilleError `too_many`, JournalError."""
        known = self._at.get(table, set())
        if person not in known and len(known) >= self._limit:
            raise ScovilleError(
                Code.TOO_MANY, f"{self._limit} people are muted here; let one of them talk again first."
            )
        await self.book.put(_key(table, person), Muted())
        self._at.setdefault(table, set()).add(person)

    async def drop(self, table: TableId, person: UserId) -> None:
        """Let somebody talk again. Raises JournalError."""
        await self.book.drop(_key(table, person))
        self._at.get(table, set()).discard(person)

    async def forget(self, table: TableId) -> None:
        """Keep nothing of a table that is cleared away. Raises JournalError."""
        people = self._at.pop(table, set())
        if people:
            await self.book.write({_key(table, person): None for person in people})


def _key(table: TableId, person: UserId) -> str:
    return f"{table}/{person}"
