"""A journal whose disk can be full, and a server in virtual time."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

from scoville_server.journal.base import Change, JournalError, Mark, StoredUser
from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.ids import TableId, UserId
from tests.support import virtual_time
from tests.support.server import toy_server

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

    async def retire(self, table: TableId, after: Mark) -> None:
        self._write(f"retire {table}")
        await super().retire(table, after)

    async def remember(self, known: StoredUser) -> None:
        self._write("remember")
        await super().remember(known)

    async def forget(self, user: UserId) -> None:
        self._write("forget")
        await super().forget(user)

    async def write(self, changes: Sequence[Change]) -> None:
        self._write(f"write {changes[0].book}")
        await super().write(changes)


@asynccontextmanager
async def world(**settings: Any) -> AsyncIterator[tuple[Server, FullDisk]]:
    """Run a server of toy games on such a journal."""
    journal = FullDisk()
    server = toy_server(Settings(**settings), journal, virtual_time.clock())
    await server.start()
    await asyncio.sleep(1)
    yield server, journal
    journal.full = False
    await server.close()


def in_virtual_time(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Run a test in virtual time."""

    def run() -> None:
        virtual_time.run(test())

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run
