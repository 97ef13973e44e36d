"""Journals for tests: their records and rows, one that several nodes share, and one on a disk that can be full."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Any

from scoville_server.journal.base import (
    Change,
    CommitFailed,
    Deposed,
    Journal,
    JournalError,
    Mark,
    Revision,
    Row,
    StoredTable,
    StoredTables,
    StoredUser,
)
from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.model.records import Record
from scoville_server.tables.state_machine import pack_record, replaces_all, unpack_record
from scoville_shared.errors import Code
from scoville_shared.ids import TableId, UserId
from tests.support import virtual_time
from tests.support.server import toy_server


async def append_records(journal: Journal, table: TableId, records: Sequence[Record]) -> Mark:
    """Append records behind whatever the table has."""
    _, mark = await journal.read(table)
    return await journal.append(table, [*map(pack_record, records)], mark, afresh=replaces_all(records))


async def kept_records(journal: Journal, table: TableId) -> list[Record]:
    """Read a table's records."""
    records, _ = await journal.read(table)
    return [*map(unpack_record, records)]


async def read_rows(journal: Journal, book: str) -> dict[str, Row]:
    """Return the rows of a book by key, oldest first."""
    rows: dict[str, Row | None] = {}
    journal.follow(book, rows.__setitem__)
    await journal.get(book, "")  # a journal on a disk shows them when it has read them
    return {key: row for key, row in rows.items() if row is not None}


class JournalView:
    """A journal that several servers share, as one of them sees it; the newest epoch alone may write rows.

    One that `hears_nothing` learns of a newer epoch by its writes alone. While it is `broken`, it keeps no record of
    tables; while it `loses_answers`, it keeps them and does not say so. Records of tables are kept and read once the
    `gate` is open. A node that starts gets the `stale` tables, if any, and `alive`, the time in milliseconds of the
    last beat and the epoch of its node.
    """

    def __init__(self, store: MemoryJournal, views: "list[JournalView]") -> None:
        self.store = store
        self.views = views
        self.epoch = self.looks = 0
        self.hears_nothing = self.broken = self.loses_answers = False
        self.gate = asyncio.Event()
        self.gate.set()
        self.stale: StoredTables | None = None
        self.alive: tuple[int, int] | None = None
        self.on_deposed: Callable[[], None] = lambda: None
        views.append(self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def next_view(self) -> "JournalView":
        """Return the view of another node."""
        return JournalView(self.store, self.views)

    async def confirm_epoch(self) -> None:
        self._check_epoch()

    def check_epoch_soon(self) -> None:
        self.looks += 1
        if not self.hears_nothing and self.epoch < max(view.epoch for view in self.views):
            self.on_deposed()

    async def reach_present(self) -> Callable[[Revision], bool]:
        newest = self.store._changes
        return lambda revision: int(revision) <= newest

    async def take_epoch(self) -> int:
        self.epoch = 1 + max(view.epoch for view in self.views)
        for view in self.views:
            if view is not self and not view.hears_nothing:
                view.on_deposed()
        return self.epoch

    async def list_tables(self) -> list[TableId]:
        return [*self.store._kept]

    async def read_tables(self, tables: Collection[TableId]) -> dict[TableId, StoredTable]:
        return {table: StoredTable(*await self.read(table)) for table in tables}

    async def join_epoch(self) -> int:
        self.epoch = max(view.epoch for view in self.views)
        return self.epoch

    def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Awaitable[Mark]:
        if self.broken:
            return self._refuse(CommitFailed("The disk is full."))
        if not self.gate.is_set():
            return self._append_later(table, records, after, afresh=afresh)
        kept = self.store.append(table, records, after, afresh=afresh)
        unknown = JournalError("Whether this was saved is unknown.", Code.OUTCOME_UNKNOWN)
        return self._refuse(unknown) if self.loses_answers else kept

    async def _append_later(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool) -> Mark:
        await self.gate.wait()
        return await self.store.append(table, records, after, afresh=afresh)

    async def read(self, table: TableId) -> tuple[list[bytes], Mark]:
        await self.gate.wait()
        return await self.store.read(table)

    async def tables(self) -> StoredTables:
        found = await self.store.tables() if self.stale is None else self.stale
        return found if self.alive is None else StoredTables(found.tables, *self.alive)

    async def delete_records(self, table: TableId, after: Mark) -> None:
        self._check_epoch()
        await self.store.delete_records(table, after)

    async def put_user(self, known: StoredUser) -> None:
        self._check_epoch()
        await self.store.put_user(known)

    async def delete_user(self, user: UserId) -> None:
        self._check_epoch()
        await self.store.delete_user(user)

    async def write(self, changes: Sequence[Change]) -> None:
        self._check_epoch()
        await self.store.write(changes)

    async def _refuse(self, error: JournalError) -> Mark:
        raise error

    def _check_epoch(self) -> None:
        if self.epoch < max(view.epoch for view in self.views):
            raise Deposed


def shared_journal() -> JournalView:
    return JournalView(MemoryJournal(), [])


HOUR = 3600.0


class FullDisk(MemoryJournal):
    """A journal that refuses every write while it is full, and counts what it refuses."""

    def __init__(self) -> None:
        super().__init__()
        self.full = False
        self.refused: Counter[str] = Counter()

    def _write(self, what: str) -> None:
        if self.full:
            self.refused[what] += 1
            raise JournalError("The disk is full.")

    async def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Mark:
        self._write(f"append {table}")
        return await super().append(table, records, after, afresh=afresh)

    async def delete_records(self, table: TableId, after: Mark) -> None:
        self._write(f"retire {table}")
        await super().delete_records(table, after)

    async def put_user(self, known: StoredUser) -> None:
        self._write("remember")
        await super().put_user(known)

    async def delete_user(self, user: UserId) -> None:
        self._write("forget")
        await super().delete_user(user)

    async def write(self, changes: Sequence[Change]) -> None:
        self._write(f"write {changes[0].book}")
        await super().write(changes)


@asynccontextmanager
async def open_server_on_full_disk(**settings: Any) -> AsyncIterator[tuple[Server, FullDisk]]:
    """Run a server of toy games, in virtual time, on a journal whose disk can be full."""
    journal = FullDisk()
    server = toy_server(Settings(**settings), journal, virtual_time.make_clock())
    await server.start()
    await asyncio.sleep(1)
    yield server, journal
    journal.full = False
    await server.close()
