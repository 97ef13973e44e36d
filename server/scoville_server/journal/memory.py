"""In-memory implementation of the Journal protocol, for practice and for servers without a data folder."""

from collections.abc import Awaitable, Sequence

from scoville_runtime.events import write_event
from scoville_server.background.eventual import Eventual
from scoville_server.events import Damage
from scoville_server.identity import ServerKey
from scoville_server.journal.base import (
    ABSENT,
    START,
    Change,
    Conflict,
    Fenced,
    Mark,
    OnChange,
    Opened,
    Revision,
    Row,
    StoredTable,
    StoredTables,
    StoredUser,
)
from scoville_server.journal.books import Followers, UserFollowers
from scoville_server.journal.contents import newest_ms
from scoville_shared.ids import TableId, UserId


class MemoryJournal:
    """Keeps records as the bytes that a durable journal would write, until their table is cleared away."""

    def __init__(self) -> None:
        self._kept: dict[TableId, list[bytes]] = {}
        self._marks: dict[TableId, Mark] = {}
        self._appends = 0
        self._users: dict[UserId, StoredUser] = {}
        self._books: dict[str, dict[str, Row]] = {}
        self._changes = 0
        self._followers = Followers(self.report_damage)
        self._user_followers = UserFollowers()
        self.follow_users = self._user_followers.add_follower
        self._key = ServerKey.new_key()

    def report_damage(self, damage: Damage) -> None:
        """Log something stored that cannot be used: only tests store such things here."""
        write_event(damage)

    async def open(self) -> Opened:
        """Begin with the rows that this object has kept, none in a new process; followers know its rows already."""
        rows = {book: [*rows.items()] for book, rows in self._books.items()}
        return Opened(self._key, newest_ms(self._kept, rows))

    async def tables(self) -> StoredTables:
        return StoredTables({table: StoredTable([*kept], self._marks[table]) for table, kept in self._kept.items()})

    async def users(self) -> Sequence[StoredUser]:
        return [*self._users.values()]

    def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Awaitable[Mark]:
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
        return [*self._kept.get(table, ())], self._marks.get(table, START)

    async def delete_records(self, table: TableId, after: Mark) -> None:
        if table in self._marks:
            if self._marks[table] != after:
                raise Fenced(table)
            del self._kept[table], self._marks[table]

    async def put_user(self, known: StoredUser) -> None:
        """Store a user; the latest one comes last."""
        self._users.pop(known.user, None)
        self._users[known.user] = known
        self._user_followers.notify_change(known.user, known)

    async def delete_user(self, user: UserId) -> None:
        self._users.pop(user, None)
        self._user_followers.notify_change(user, None)

    async def get(self, book: str, key: str) -> Row | None:
        return self._books.get(book, {}).get(key)

    async def write(self, changes: Sequence[Change]) -> None:
        for book, key, _, after in changes:
            row = await self.get(book, key)
            if after is not None and after != (ABSENT if row is None else row.revision):
                raise Conflict(book, key)
        self._followers.notify_followers(changes, [self._apply_change(change) for change in changes])

    def _apply_change(self, change: Change) -> Row | None:
        rows = self._books.setdefault(change.book, {})
        if change.value is None:
            rows.pop(change.key, None)
            return None
        self._changes += 1
        rows[change.key] = Row(change.value, Revision(b"%d" % self._changes))
        return rows[change.key]

    def follow(self, book: str, on_change: OnChange) -> None:
        self._followers.add_follower(book, on_change, [*self._books.get(book, {}).items()])

    async def close(self) -> None:
        """Nothing is left to write."""
