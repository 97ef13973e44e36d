"""SQLite implementation of the Journal protocol: one file in the data folder."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from scoville_server.background.eventual import Eventual
from scoville_server.clock import SYSTEM, Clock
from scoville_server.journal.base import START, Change, Kept, Mark, OnChange, Row, StorageLost, StoredUser
from scoville_server.journal.books import Followers
from scoville_server.journal.store import Store
from scoville_server.journal.writer import Writer
from scoville_shared.ids import TableId, UserId


class SqliteJournal:
    """A `Journal` in a folder, which is made when it is not there; nothing is touched before `open`.

    `most` writes may wait for the disk at a time. `leave_out_damaged` opens a journal without damaged rows that protect
    players; without any others it is opened in any case.
    """

    def __init__(self, folder: Path, most: int, *, leave_out_damaged: bool = False, clock: Clock = SYSTEM) -> None:
        self._clock = clock
        self._folder = folder
        self._leave_out_damaged = leave_out_damaged
        self._most = most
        self._opened: Writer | None = None
        self._followers = Followers()
        self.on_lost: Callable[[StorageLost], None] = lambda _: None

    async def open(self) -> Kept:
        """Lock the folder and read its journal. Raises JournalError, with a sentence for the host."""
        store = Store(self._folder, leave_out_damaged=self._leave_out_damaged, clock=self._clock)
        try:
            kept = store.load()
        except BaseException:
            store.close()
            raise
        self._opened = Writer(store, self._most, self.on_lost)
        return kept

    def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Eventual[Mark]:
        """Keep records: they are on the disk when the result comes."""

        def write(store: Store) -> Mark:
            store.check(table, after)
            return store.append(table, records, afresh=afresh)

        return self._writer.post(write)

    async def read(self, table: TableId) -> tuple[list[bytes], Mark]:
        """Return a table's records and their mark."""
        return await self._writer.post(lambda store: (store.read(table), store.mark(table)))

    async def retire(self, table: TableId, after: Mark) -> None:
        """Delete a table's records."""

        def write(store: Store) -> None:
            if store.mark(table) != START:
                store.check(table, after)
                store.retire(table)

        await self._writer.post(write)

    async def remember(self, known: StoredUser) -> None:
        """Store a user."""
        await self._writer.post(partial(Store.remember, known=known))

    async def forget(self, user: UserId) -> None:
        """Delete a user."""
        await self._writer.post(partial(Store.forget, user=user))

    async def get(self, book: str, key: str) -> Row | None:
        """Read a row of a book."""
        return await self._writer.post(lambda store: store.get(book, key))

    async def write(self, changes: Sequence[Change]) -> None:
        """Make changes of books; their followers are called even if the writer waits no longer."""
        changes = tuple(changes)
        answer: Eventual[None] = Eventual()

        def committed(rows: Eventual[list[Row | None]]) -> None:
            error = rows.exception()
            if error is not None:
                answer.set_exception(error)
            else:
                try:
                    self._followers.notify(changes, rows.result())
                finally:
                    answer.set_result(None)

        self._writer.post(partial(Store.write, changes=changes)).add_done_callback(committed)
        await answer

    def follow(self, book: str, on_change: OnChange) -> None:
        """Call a function for every change of a book. No other process writes to the folder while it is locked."""
        self._followers.add(book, on_change)

    async def beat(self, now_ms: int) -> None:
        """Note that the server is alive."""
        await self._writer.post(lambda store: store.beat(now_ms))

    async def close(self) -> None:
        """Finish pending writes, and release the folder."""
        if self._opened is not None:
            await self._opened.close()

    @property
    def _writer(self) -> Writer:
        assert self._opened is not None, "a journal is opened before it is written"
        return self._opened
