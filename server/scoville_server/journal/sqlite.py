"""SQLite implementation of the Journal protocol: one file in the data folder."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.background.eventual import Eventual
from scoville_server.journal.base import START, Change, Kept, Mark, OnChange, Row, StorageLost, StoredUser
from scoville_server.journal.books import Followers
from scoville_server.journal.store import Store
from scoville_server.journal.writer import EarlyWrites, Writer
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
        self._inspected: Store | None = None
        self._early = EarlyWrites(most)
        self._writer: Writer | EarlyWrites = self._early
        self._followers = Followers()
        self.on_lost: Callable[[StorageLost], None] = lambda _: None

    async def open(self) -> Kept:
        """Lock the folder, read its journal, and make it ready for writing. Raises JournalError."""
        kept = await self.inspect()
        await self.prepare()
        return kept

    async def inspect(self) -> Kept:
        """Lock the folder and read its journal, without a change. Raises JournalError."""
        store = Store(self._folder, leave_out_damaged=self._leave_out_damaged, clock=self._clock, look_only=True)
        try:
            kept = store.load_rows()
        except BaseException:
            store.close()
            raise
        # Kept open with its lock, so that nothing can change between the look and the start.
        self._inspected = store
        return kept

    async def prepare(self) -> None:
        """Make the journal ready, and begin with the writes that have been waiting for that. Raises JournalError."""
        store = self._inspected
        assert store is not None, "a journal is inspected before it is written"
        store.open()
        store.remove_leftovers()
        self._writer = Writer(store, self._most, self.on_lost)
        self._inspected = None
        self._early.post_to(self._writer)

    def abandon(self) -> None:
        """Give up a start: refuse the writes that wait for it."""
        self._early.refuse_all()

    def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Eventual[Mark]:
        """Keep records: they are on the disk when the result comes."""

        def write(store: Store) -> Mark:
            store.check_mark(table, after)
            return store.append_records(table, records, afresh=afresh)

        return self._writer.post_write(write)

    async def read(self, table: TableId) -> tuple[list[bytes], Mark]:
        """Return a table's records and their mark."""
        return await self._writer.post_write(lambda store: (store.read_records(table), store.mark_of(table)))

    async def retire(self, table: TableId, after: Mark) -> None:
        """Delete a table's records."""

        def write(store: Store) -> None:
            # Without records nothing is left to delete: a retry whose first attempt was stored must succeed.
            if store.mark_of(table) != START:
                store.check_mark(table, after)
                store.delete_records(table)

        await self._writer.post_write(write)

    async def remember(self, known: StoredUser) -> None:
        """Store a user."""
        await self._writer.post_write(partial(Store.put_user, known=known))

    async def forget(self, user: UserId) -> None:
        """Delete a user."""
        await self._writer.post_write(partial(Store.delete_user, user=user))

    async def get(self, book: str, key: str) -> Row | None:
        """Read a row of a book."""
        return await self._writer.post_write(lambda store: store.get_row(book, key))

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
                    self._followers.notify_followers(changes, rows.result())
                finally:
                    answer.set_result(None)

        self._writer.post_write(partial(Store.write_changes, changes=changes)).add_done_callback(committed)
        await answer

    def follow(self, book: str, on_change: OnChange) -> None:
        """Call a function for every change of a book. No other process writes to the folder while it is locked."""
        self._followers.add_follower(book, on_change)

    async def beat(self, now_ms: int) -> None:
        """Note that the server is alive."""
        await self._writer.post_write(lambda store: store.write_beat(now_ms))

    async def close(self) -> None:
        """Finish pending writes, and release the folder."""
        self._early.refuse_all()
        if isinstance(self._writer, Writer):
            await self._writer.close()
        elif self._inspected is not None:
            self._inspected.close()
            self._inspected = None
