"""The shared journal of a cluster in a box, and each node's connection to it.

The contents are those of a `MemoryJournal`. What can go wrong between a node and an engine goes wrong here: requests
and answers that are late or lost, a disk that is full, and a node that starts from a copy that is behind.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from typing import Any, NamedTuple, TypeVar

from msgspec import msgpack

from scoville_server.background.eventual import Eventual
from scoville_server.events import Damage
from scoville_server.journal.base import (
    START,
    Change,
    CommitFailed,
    Conflict,
    Deposed,
    JournalError,
    Mark,
    OnChange,
    OnUserChange,
    Opened,
    Revision,
    Row,
    StoredTable,
    StoredTables,
    StoredUser,
)
from scoville_server.journal.books import Followers, UserFollowers
from scoville_server.journal.memory import MemoryJournal
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId
from tests.cluster.world import Channel, Process, World

T = TypeVar("T")

TIMEOUT = 2.0
"""Seconds after which a node gives up a request to the engine."""


class Written(NamedTuple):
    """An append that the engine has kept: when, by which process, and how many records the table had before."""

    at: float
    process: Process
    table: TableId
    records: tuple[bytes, ...]
    afresh: bool


class _Copy(NamedTuple):
    at: float
    records: tuple[bytes, ...]
    mark: Mark | None


class Engine:
    """What all nodes share. `log` has all appends ever kept, and `retired` what retired tables had at their end.

    Attributes:
        full: Whether the disk is full.
        loses_answers: The share of requests whose answer is lost.
        loses_requests: The share of requests that are lost themselves.
        lag: How many seconds the copies are behind from which nodes start.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.store = MemoryJournal()
        self.log: list[Written] = []
        self.retired: dict[TableId, list[bytes]] = {}
        self.full = False
        self.loses_answers = self.loses_requests = self.lag = 0.0
        self.alive_ms: int | None = None
        self.alive_epoch = 0
        self.connected: list[NodeJournal] = []
        self.epoch = 0
        self._copies: defaultdict[TableId, list[_Copy]] = defaultdict(list)
        self._followed: set[str] = set()

    def open(self, journal: "NodeJournal") -> tuple[Opened, dict[str, list[tuple[str, Row]]]]:
        """Return what a node starts from, and the rows of all books; later changes are sent to it."""
        self.connected.append(journal)
        return _run_now(self.store.open()), {book: [*rows.items()] for book, rows in self.store._books.items()}

    def tables(self) -> StoredTables:
        """Return all tables; they may be behind."""
        copies = {table: copy for table in self._copies if (copy := self._copy_of(table)) is not None}
        tables = {
            table: StoredTable(copy.records, copy.mark) for table, copy in copies.items() if copy.mark is not None
        }
        return StoredTables(tables, self.alive_ms, self.alive_epoch)

    def take_epoch(self, journal: "NodeJournal", known: int) -> int:
        """Let another node serve from now on, and tell the others. Raises Conflict for one that comes too late."""
        self._check_disk()
        if known != self.epoch:
            raise Conflict("cluster", "epoch")
        self.epoch += 1
        journal.has_served = True
        for other in self.connected:
            if other is not journal and other.has_served:
                other.from_engine.send(other.note_deposed)
        return self.epoch

    def check_epoch(self, epoch: int) -> None:
        if epoch != self.epoch:
            raise Deposed

    def append(self, process: Process, table: TableId, records: Sequence[bytes], after: Mark, afresh: bool) -> Mark:
        self._check_disk()
        mark = _run_now_eventual(self.store.append(table, records, after, afresh=afresh))
        self.log.append(Written(self.world.now, process, table, tuple(records), afresh))
        self._copies[table].append(_Copy(self.world.now, tuple(self.store._kept[table]), mark))
        return mark

    def delete_records(self, table: TableId, after: Mark) -> None:
        self._check_disk()
        records, _ = _run_now(self.store.read(table))
        _run_now(self.store.delete_records(table, after))
        if records:
            self.retired[table] = records
            self._copies[table].append(_Copy(self.world.now, (), None))

    def write(self, changes: Sequence[Change]) -> None:
        self._check_disk()
        _run_now(self.store.write(changes))

    def follow(self, book: str) -> None:
        if book not in self._followed:
            self._followed.add(book)
            self.store.follow(book, lambda key, row: self._notify_nodes(book, key, row))

    def _notify_nodes(self, book: str, key: str, row: Row | None) -> None:
        for journal in self.connected:
            journal.from_engine.send(lambda journal=journal: journal.note_change(book, key, row))

    def _check_disk(self) -> None:
        if self.full:
            raise CommitFailed("The disk is full.")

    def _copy_of(self, table: TableId) -> _Copy | None:
        known = [copy for copy in self._copies[table] if copy.at <= self.world.now - self.lag]
        # What a copy has may be behind; that it misses a whole table is no fault that a journal may have.
        latest = (known or self._copies[table])[-1]
        return latest if latest.records else None


class NodeJournal:
    """The journal as one node sees it: a `Journal` whose answers come later, or never."""

    def __init__(self, engine: Engine, process: Process, *, later_version: bool = False) -> None:
        self._engine = engine
        self._process = process
        self._grow = _grow_record if later_version else lambda record: record
        self.to_engine, self.from_engine = Channel(engine.world), Channel(engine.world)
        self._followers = Followers(self.report_damage)
        self._user_followers, self._follows_users = UserFollowers(), False
        self._is_open = False
        self._early: list[tuple[str, str, Row | None]] = []
        """Changes that came right behind the copy, before it was shown."""
        self._epoch = 0
        self.has_served = False
        self.on_deposed: Callable[[], None] = lambda: None
        self.on_epoch: Callable[[int], object] = lambda _: None
        self._is_deposed = False
        self._checking: asyncio.Task[None] | None = None

    async def confirm_epoch(self) -> None:
        await self._ask(lambda: self._engine.check_epoch(self._epoch))

    async def reach_present(self) -> Callable[[Revision], bool]:
        # Its answer comes behind all changes that were made before.
        newest = await self._ask(lambda: self._engine.store._changes)
        return lambda revision: int(revision) <= newest

    async def take_epoch(self) -> int:
        known = await self._ask(lambda: self._engine.epoch)

        # Its answer comes behind all changes that an earlier node has made.
        self._epoch = await self._ask(lambda: self._engine.take_epoch(self, known))
        self.on_epoch(self._epoch)
        return self._epoch

    async def join_epoch(self) -> int:
        self._epoch = await self._ask(lambda: self._engine.epoch)
        self.on_epoch(self._epoch)
        return self._epoch

    async def list_tables(self) -> list[TableId]:
        return await self._ask(lambda: [*self._engine.store._kept])

    async def read_tables(self, tables: Collection[TableId]) -> dict[TableId, StoredTable]:
        found = {table: StoredTable(*await self.read(table)) for table in tables}
        return {table: stored for table, stored in found.items() if stored.records}

    def note_deposed(self) -> None:
        if not self._is_deposed:
            self._is_deposed = True
            self._process.run_soon(self.on_deposed)

    def note_successor(self, epoch: int) -> None:
        if epoch > self._epoch > 0:
            self.note_deposed()

    def check_epoch_soon(self) -> None:
        if self._checking is None:
            self._checking = self._process.loop.create_task(self._check_epoch())

    async def _check_epoch(self) -> None:
        try:
            await self.confirm_epoch()
        except Deposed:
            if self._epoch:
                self.note_deposed()
        except JournalError:
            pass
        finally:
            self._checking = None

    async def open(self) -> Opened:
        # In one moment: what comes after this copy is followed, and nothing is missed in between.
        opened, rows = await self._ask(lambda: self._engine.open(self))
        self._followers.show_rows(rows)
        self._is_open = True
        for book, key, row in self._early:
            self._followers.notify_change(book, key, row)
        return opened

    async def tables(self) -> StoredTables:
        return await self._ask(self._engine.tables)

    async def users(self) -> Sequence[StoredUser]:
        return await self._ask(lambda: _run_now(self._engine.store.users()))

    def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Awaitable[Mark]:
        packed = [self._grow(record) for record in records]

        def append() -> Mark:
            return self._engine.append(self._process, table, packed, after, afresh)

        # As in the stream: no mark fences the first records of a table.
        return self._ask_fenced(append) if after == START else self._ask(append)

    async def read(self, table: TableId) -> tuple[list[bytes], Mark]:
        return await self._ask(lambda: _run_now(self._engine.store.read(table)))

    async def delete_records(self, table: TableId, after: Mark) -> None:
        await self._ask_fenced(lambda: self._engine.delete_records(table, after))

    async def put_user(self, known: StoredUser) -> None:
        await self._ask_fenced(lambda: _run_now(self._engine.store.put_user(known)))

    async def delete_user(self, user: UserId) -> None:
        await self._ask_fenced(lambda: _run_now(self._engine.store.delete_user(user)))

    async def get(self, book: str, key: str) -> Row | None:
        return await self._ask(lambda: _run_now(self._engine.store.get(book, key)))

    async def write(self, changes: Sequence[Change]) -> None:
        await self._ask_fenced(lambda: self._engine.write(changes))

    def follow(self, book: str, on_change: OnChange) -> None:
        self._engine.follow(book)
        self._followers.add_follower(book, on_change)

    def follow_users(self, on_change: OnUserChange) -> None:
        self._user_followers.add_follower(on_change)
        if not self._follows_users:
            self._follows_users = True
            self._engine.store.follow_users(self.note_user)

    def note_user(self, user: UserId, known: StoredUser | None) -> None:
        self.from_engine.send(lambda: self._process.run_soon(lambda: self._user_followers.notify_change(user, known)))

    def report_damage(self, damage: Damage) -> None:
        """Note that something cannot be used: nothing is ever damaged here."""
        self._engine.world.faults.append(f"{self._process.name}: {damage.reason}")

    async def note_alive(self, now_ms: int) -> None:
        if self._epoch == self._engine.epoch:
            self._engine.alive_ms, self._engine.alive_epoch = now_ms, self._epoch

    async def close(self) -> None:
        if self in self._engine.connected:
            self._engine.connected.remove(self)

    def note_change(self, book: str, key: str, row: Row | None) -> None:
        self._process.run_soon(lambda: self._take_change(book, key, row))

    def _take_change(self, book: str, key: str, row: Row | None) -> None:
        if self._is_open:
            self._followers.notify_change(book, key, row)
        else:
            self._early.append((book, key, row))

    def _ask_fenced(self, work: Callable[[], T]) -> Eventual[T]:
        """Ask for something that only the serving node may do."""

        def work_in_epoch() -> T:
            self._engine.check_epoch(self._epoch)
            return work()

        return self._ask(work_in_epoch)

    def _ask(self, work: Callable[[], T]) -> Eventual[T]:
        answer: Eventual[T] = Eventual()
        alarm = self._process.loop.call_later(TIMEOUT, self._give_up, answer)

        def settle(value: T | None, error: Exception | None) -> None:
            if answer.done():
                return
            alarm.cancel()
            if error is None:
                answer.set_result(value)  # type: ignore[arg-type]
            else:
                answer.set_exception(error)

        def arrive() -> None:
            chance, engine = self._engine.world.chance, self._engine
            if engine.loses_requests and chance.random() < engine.loses_requests:
                return
            value, error = None, None
            try:
                value = work()
            except ScovilleError as refused:
                error = refused
            if engine.loses_answers and chance.random() < engine.loses_answers:
                return
            self.from_engine.send(lambda: self._process.run_soon(lambda: settle(value, error)))

        self.to_engine.send(arrive)
        return answer

    def _give_up(self, answer: Eventual[Any]) -> None:
        if not answer.done():
            sentence = "The journal did not answer in time; whether this was saved is unknown."
            answer.set_exception(JournalError(sentence, Code.OUTCOME_UNKNOWN))


def _grow_record(record: bytes) -> bytes:
    """Write a record as a later version does: with a field that this one does not know."""
    return msgpack.encode({**msgpack.decode(record), "later": [1]})


def _run_now(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that waits for nothing."""
    try:
        work.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    raise AssertionError("it waits for something")


def _run_now_eventual(work: Awaitable[T]) -> T:
    assert isinstance(work, Eventual)
    return work.result()
