"""Users muted by the host of a table, for as long as the table exists."""

from msgspec import Struct

from scoville_server.journal.base import Journal
from scoville_server.journal.books import Book
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId


class Muted(Struct, frozen=True):
    """Marks a pair of table and user as muted."""


class Mutes:
    """Mutes with up to `limit` users per table, kept in the book "mutes": one entry per table and user."""

    def __init__(self, limit: int, journal: Journal) -> None:
        self.book = Book("mutes", Muted, journal)
        self._limit = limit
        self._at: dict[TableId, set[UserId]] = {}

    def restore_mutes(self) -> None:
        """Load the book."""
        for table, _, user in (key.partition("/") for key, _ in self.book.items()):
            self._at.setdefault(TableId(table), set()).add(UserId(user))

    @property
    def tables(self) -> list[TableId]:
        """The tables with muted users."""
        return [*self._at]

    def is_muted(self, table: TableId, user: UserId) -> bool:
        """Whether a user is muted at a table."""
        return user in self._at.get(table, ())

    async def mute_user(self, table: TableId, user: UserId) -> None:
        """Mute a user. Raises ScovilleError `too_many`, JournalError."""
        known = self._at.get(table, set())
        if user not in known and len(known) >= self._limit:
            raise ScovilleError(
                Code.TOO_MANY, f"{self._limit} users are muted at this table, the most allowed; unmute one first."
            )
        await self.book.put_row(_key_of(table, user), Muted())
        self._at.setdefault(table, set()).add(user)

    async def unmute_user(self, table: TableId, user: UserId) -> None:
        """Unmute a user. Raises JournalError."""
        await self.book.drop_row(_key_of(table, user))
        self._at.get(table, set()).discard(user)

    async def forget_table(self, table: TableId) -> None:
        """Delete the mutes of a removed table. Raises JournalError."""
        users = self._at.pop(table, set())
        if users:
            await self.book.write_rows({_key_of(table, user): None for user in users})


def _key_of(table: TableId, user: UserId) -> str:
    return f"{table}/{user}"
