"""A journal that several servers of a test share, each by a view of its own; the newest epoch alone may write rows."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from scoville_server.journal.base import Change, CommitFailed, Deposed, JournalError, Mark, StoredTables, StoredUser
from scoville_server.journal.memory import MemoryJournal
from scoville_shared.errors import Code
from scoville_shared.ids import TableId, UserId


class JournalView:
    """The shared journal as one node sees it; one that `hears_nothing` learns of a newer epoch by its writes alone.

    While it is `broken`, it keeps no record of tables; while it `loses_answers`, it keeps them and does not say so.
    Records of tables are kept and read once the `gate` is open. A node that starts gets the `stale` tables, if any, and
    `alive`, the time in milliseconds of the last beat and the epoch of its node.
    """

    def __init__(self, store: MemoryJournal, views: "list[JournalView]") -> None:
        self.store = store
        self.views = views
        self.epoch = 0
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

    async def take_epoch(self) -> int:
        self.epoch = 1 + max(view.epoch for view in self.views)
        for view in self.views:
            if view is not self and not view.hears_nothing:
                view.on_deposed()
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

    async def retire(self, table: TableId, after: Mark) -> None:
        self._check_epoch()
        await self.store.retire(table, after)

    async def remember(self, known: StoredUser) -> None:
        self._check_epoch()
        await self.store.remember(known)

    async def forget(self, user: UserId) -> None:
        self._check_epoch()
        await self.store.forget(user)

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
