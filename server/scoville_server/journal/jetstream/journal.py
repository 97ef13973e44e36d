"""The journal of a cluster: records, rows and epochs as messages of one stream, written by the node that serves."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from itertools import count, islice
from typing import Any, Final, NamedTuple

import msgspec

from scoville_runtime.events import EventLog, Events
from scoville_server.background.eventual import Eventual
from scoville_server.background.shared_reads import SharedReads
from scoville_server.events import Damage, ReportDamage
from scoville_server.journal.base import (
    START,
    Change,
    Conflict,
    Deposed,
    Fenced,
    JournalError,
    Mark,
    OnChange,
    Opened,
    Revision,
    Row,
    StoredTable,
    StoredTables,
    StoredUser,
)
from scoville_server.journal.books import PROTECTING, Followers, UserFollowers
from scoville_server.journal.contents import newest_ms
from scoville_server.journal.figures import JournalFigures
from scoville_server.journal.jetstream.engine import (
    MOST_IN_BATCH,
    Engine,
    NoAnswer,
    Outgoing,
)
from scoville_server.journal.jetstream.fenced_writer import FencedWriter, WriteGate, write_lanes
from scoville_server.journal.jetstream.insistence import Insistence
from scoville_server.journal.jetstream.member import ClusterTerms, compare_node
from scoville_server.journal.jetstream.mending import TableMender
from scoville_server.journal.jetstream.messages import (
    EPOCH,
    TABLES,
    EpochMessage,
    TableMark,
    make_table_message,
    read_row_message,
    row_at,
    sequence_of,
    subject_of_row,
    subject_of_table,
    table_of,
)
from scoville_server.journal.jetstream.mirror import (
    ALIVE,
    CLUSTER,
    USERS,
    Alive,
    Mirror,
    describe_fault,
    take_whole_tables,
)
from scoville_server.journal.jetstream.stores import AuditStream, GameStream, place_of_files
from scoville_shared.ids import TableId, UserId

_log = logging.getLogger(__name__)


FOLLOW_SECONDS = 0.25
"""Seconds between two looks at the rows that others have written."""


_REACH_SECONDS: Final = 5.0
"""How long to wait for a replica that has what the engine has just kept."""


_MARK_EVERY_SECONDS: Final = 0.05
"""Seconds between two marks of the present: all who connect, or ask for what this node may lack, share one write."""
_MOST_MARKS: Final = 256
"""Names of rows that mark the present, which are used in turn: one write has no row twice."""


class _Reach(NamedTuple):
    """A wait until the rows are followed up to a sequence; it fails at a time, in monotonic seconds."""

    sequence: int
    until: float
    reached: Eventual[None]


class RowFollower:
    """Looks at intervals for the rows that other nodes have written, as long as this one serves.

    Args:
        mirror: Reads them, and tells their followers.
        writer: Knows whether this node serves.
        node: The name of this node.
        report_damage: Is called for each row that cannot be used.
        engine: The engine.
    """

    def __init__(
        self, mirror: Mirror, writer: FencedWriter, node: str, report_damage: ReportDamage, engine: Engine
    ) -> None:
        self._mirror = mirror
        self._writer = writer
        self._node = node
        self._marks = count()
        self._report_damage = report_damage
        self._place = engine.place.name
        self._clock = engine.clock
        self._task: asyncio.Task[None] | None = None
        self._waiting: list[_Reach] = []
        self._reaching = SharedReads(engine.clock, _MARK_EVERY_SECONDS)

    def begin_following(self) -> None:
        """Begin; `stop_following` ends it."""
        self._task = asyncio.get_running_loop().create_task(self._follow_others(), name="follow")

    def stop_following(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def reach_present(self) -> Callable[[Revision], bool]:
        """See `Shared`."""
        return await self._reaching.share_read(self._mark_present)

    async def _mark_present(self) -> Callable[[Revision], bool]:
        # The engine alone knows what was kept before, and a replica may be behind: once this node has followed a
        # message of its own, it has followed all that came before that. It deletes a row that there never was, which
        # the engine forgets after a day.
        mark = Change(CLUSTER, f"present {self._node} {next(self._marks) % _MOST_MARKS}", None)
        birth = self._mirror.birth_of(mark.book, mark.key)
        (sequence,) = await self._writer.post_job([self._mirror.make_write(mark, birth)])
        if self._task is None or self._task.done():
            raise Deposed
        reached: Eventual[None] = Eventual()
        self._waiting.append(_Reach(sequence, self._clock.seconds() + _REACH_SECONDS, reached))
        await reached
        return lambda revision: sequence_of(revision) < sequence

    async def _follow_others(self) -> None:
        try:
            while self._writer.has_epoch:
                await self._clock.sleep(FOLLOW_SECONDS)
                await self._follow_once()
                self._settle_waiting()
        finally:
            waiting, self._waiting = self._waiting, []
            for each in waiting:
                each.reached.set_exception(Deposed())

    async def _follow_once(self) -> None:
        try:
            await self._mirror.follow_rows()
        except JournalError:
            pass  # once the engine is back, all of it is read
        except Exception:  # noqa: BLE001 - a follower has failed, which must not end the others
            _log.exception("A change by another server process could not be taken over.")
        for error in self._mirror.take_damage().values():
            self._report_damage(Damage(path=self._place, reason=error.message))

    def _settle_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            if each.sequence <= self._mirror.followed:
                each.reached.set_result(None)
            elif self._clock.seconds() >= each.until:
                each.reached.set_exception(NoAnswer())
            else:
                self._waiting.append(each)


class UserRowFollowers(UserFollowers):
    """`UserFollowers` to call for the rows of a book."""

    def notify_of_row(self, key: str, row: Row | None) -> None:
        """Call the functions for a row that has changed."""
        known = None if row is None else msgspec.msgpack.decode(row.value, type=StoredUser)
        self.notify_change(UserId(key), known)


# Decision 054: one stream, so that one epoch fences rows and tables, and what lies before it is complete.
class JetStreamJournal:
    """A `Journal` in NATS JetStream, for several nodes of which one serves.

    Appends to one table follow each other by the sequence of the table's newest message. Everything else, and the first
    append to a table by this node, is written by one atomic batch at a time, together with a message that is refused
    once another node has taken an epoch.

    Raises outcome_unknown for a write that the engine has not answered for `insist_seconds`. Changes of more than
    MOST_IN_BATCH rows are made in several portions, of which the first ones may stay when a later one fails.

    Args:
        engine: The engine; it is connected by `open`.
        terms: On which terms this node writes.
        mirror: A mirror that has followed the engine; None for a new one.
        events: Where damage is reported.
    """

    def __init__(
        self, engine: Engine, terms: ClusterTerms, mirror: Mirror | None = None, events: Events | None = None
    ) -> None:
        self._engine, self._terms = engine, terms
        self._clock = clock = engine.clock
        self._events = events or Events(EventLog(clock))
        self._mirror = mirror or Mirror(engine, self.report_damage, clock)
        self._is_new = mirror is None
        self._followers = Followers(self.report_damage)
        self._user_followers = UserRowFollowers()
        self.follow_users = self._user_followers.add_follower
        self.figures = JournalFigures(terms.most_writes)
        self._insistence = Insistence(engine, clock, terms.insist_seconds)
        self._gate = WriteGate(self.figures, terms.most_writes, clock)
        report_deposed = lambda: self.on_deposed()  # noqa: E731, PLW0108 - it is set later
        fenced = self._gate, self._mirror.deleted, report_deposed, terms.make_fences()
        self._writer = FencedWriter(engine, self._insistence, *fenced)
        report = lambda damage: self.report_damage(damage)  # noqa: E731, PLW0108 - it may be set later
        self._table_list = TableList(engine, self._mirror.deleted)
        self._mender = TableMender(engine, self._insistence, self._mirror, self._writer, report)
        self._row_follower = RowFollower(self._mirror, self._writer, terms.member.node, self.report_damage, engine)
        self.reach_present = self._row_follower.reach_present
        self._files = Engine(place_of_files(engine.place), clock)
        self._files_insistence = Insistence(self._files, clock, terms.insist_seconds)
        files = (self._files, self._files_insistence, self.confirm_epoch)
        self.games = GameStream(*files, clock)
        self.audit = AuditStream(*files, self.report_damage, clock)
        self._epoch = 0
        self._own_tables: set[TableId] = set()
        """Tables to which this node has written in its epoch: no other one can have adopted them unnoticed."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._checking: asyncio.Task[None] | None = None
        self.on_deposed: Callable[[], None] = lambda: None

    # --- the start --------------------------------------------------------------------------------------

    async def open(self) -> Opened:
        """Connect, read everything, and compare this node with the cluster. Raises JournalError."""
        if self._is_new:
            await self._engine.connect()
        await self._files.connect()
        await self._insistence.insist_on_read(self._mirror.catch_up)
        self._check_damage()
        await compare_node(self._engine, self._mirror, self._terms.member)
        books = self._mirror.books()
        self._followers.show_rows(books)
        self._followers.add_follower(USERS, self._user_followers.notify_of_row)
        self._mirror.on_row = self._followers.notify_change
        await self._engine.read_epoch_hint(EPOCH, self.check_epoch_soon)
        alive = self._mirror.alive
        return Opened(self._terms.member.key, newest_ms({}, books, None if alive is None else alive.at_ms))

    def _check_damage(self) -> None:
        for (book, _), error in self._mirror.take_damage().items():
            if book in PROTECTING and not self._terms.leave_out_damaged:
                raise error
            self.report_damage(Damage(path=self._engine.place.name, reason=error.message))

    async def take_epoch(self) -> int:
        """Serve from now on. Raises JournalError, Conflict if another node was faster."""
        member, known = self._terms.member, self._terms.known_epoch
        # Another node was faster, and serves: to follow it at once would send everybody on for nothing.
        if known is not None and known != self._mirror.serving_epoch:
            raise Conflict(CLUSTER, EPOCH)
        epoch = EpochMessage(self._mirror.newest_epoch + 1, member.node, member.address, secrets.token_bytes(8))
        message = Outgoing(EPOCH, msgspec.msgpack.encode(epoch), expected=self._mirror.epoch_sequence, replaces=True)
        fence = await self._insistence.publish_message(message, Conflict(CLUSTER, EPOCH))
        self._terms.on_epoch(epoch.epoch)
        lanes = await write_lanes(self._insistence, fence, message.payload)
        # What came before them in the stream is complete, and nothing of an earlier node comes after them.
        await self._insistence.insist_on_read(lambda: self._mirror.catch_up(max(lanes.values())))
        self._begin_writing(epoch.epoch, fence)
        await self._mender.mend_tables()
        self._row_follower.begin_following()
        return epoch.epoch

    async def join_epoch(self) -> int:
        """Serve in the epoch that another node has taken; its tables are its own to mend. Raises JournalError."""
        await self._insistence.insist_on_read(self._mirror.catch_up)
        epoch = self._mirror.epoch
        if epoch is None or self._terms.known_epoch not in (None, epoch.epoch):
            raise Conflict(CLUSTER, EPOCH)
        # A replica may have answered that has not heard of a newer one yet.
        await self._writer.check_newest(self._mirror.epoch_sequence)
        self._begin_writing(epoch.epoch, self._mirror.epoch_sequence)
        self._terms.on_epoch(epoch.epoch)
        self._row_follower.begin_following()
        return epoch.epoch

    def _begin_writing(self, epoch: int, fence: int) -> None:
        self._check_damage()
        self._epoch = epoch
        self._mirror.ends.accept_rows()
        self._writer.begin_epoch(fence, self._mirror.list_lanes())
        self.figures.state = "ready"

    async def tables(self) -> StoredTables:
        """Return the tables that were read, which are let go with that."""
        return self._mirror.take_stored_tables()

    async def users(self) -> Sequence[StoredUser]:
        return self._mirror.users()

    def follow(self, book: str, on_change: OnChange) -> None:
        self._followers.add_follower(book, on_change, self._mirror.rows_of(book))

    def report_damage(self, damage: Damage) -> None:
        self._events.report_event(damage)

    # --- tables -----------------------------------------------------------------------------------------

    def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Awaitable[Mark]:
        """Keep records: the engine has them on a majority of its servers when the result comes."""
        kept: Eventual[Mark] = Eventual()
        mark = TableMark.read(after)
        message = make_table_message(table, records, mark, afresh=afresh)
        packed = msgspec.msgpack.encode(message)
        outgoing = Outgoing(subject_of_table(table), packed, expected=mark.sequence, replaces=afresh)

        def settle(sequence: int) -> None:
            self._mirror.ends.note_append(table, sequence, is_first=message.n == 0)
            kept.set_result(TableMark(sequence, message.n + len(message.records), message.seal).write())

        if table in self._own_tables and not self._writer.is_deposed:
            self._post_append(outgoing, Fenced(table), settle, kept)
            return kept

        def settle_first(written: Eventual[list[int]]) -> None:
            error = written.exception()
            if error is not None:
                kept.set_exception(error)
                return
            self._own_tables.add(table)
            settle(written.result()[-1])

        self._writer.post_job([outgoing]).add_done_callback(settle_first)
        return kept

    def _post_append(
        self, message: Outgoing, refusal: JournalError, settle: Callable[[int], None], kept: Eventual[Any]
    ) -> None:
        if not self._gate.admit_write(kept):
            return
        began = self._clock.seconds()

        async def append() -> None:
            try:
                sequence = await self._insistence.publish_message(message, refusal)
            except JournalError as error:
                self._gate.note_writes(began, failed=not isinstance(error, Fenced))
                kept.set_exception(error)
            else:
                self._gate.note_writes(began, failed=False)
                settle(sequence)

        self._start_task(append())

    async def read(self, table: TableId) -> tuple[list[bytes], Mark]:
        """Return a table's records and their mark. Raises JournalError for a table with a hole."""
        chain = (await self._mender.read_chains([table])).get(table)
        if chain is not None and chain.fault:
            raise JournalError(describe_fault(chain))
        return ([], START) if chain is None else (chain.records, chain.mark.write())

    async def read_tables(self, tables: Collection[TableId]) -> Mapping[TableId, StoredTable]:
        chains = await self._mender.read_chains(tables)
        return take_whole_tables(chains, self.report_damage, self._engine.place.name)

    async def list_tables(self) -> Collection[TableId]:
        return await self._insistence.insist_on_read(self._table_list.list_tables)

    async def delete_records(self, table: TableId, after: Mark) -> None:
        subject = subject_of_table(table)
        message = Outgoing(subject, b"", expected=TableMark.read(after).sequence, replaces=True, expires=True)
        try:
            (sequence,) = await self._writer.post_job([message])
        except Fenced:
            if (await self.read(table))[1] != START:
                raise
            return
        self._own_tables.discard(table)
        self._mirror.note_deleted(subject, sequence)

    # --- rows -------------------------------------------------------------------------------------------

    async def get(self, book: str, key: str) -> Row | None:
        subject = subject_of_row(book, key)
        last = await self._insistence.read_last([subject], self._insistence.deadline())
        if subject not in last:
            return None
        message = read_row_message(book, key, last[subject].payload)
        return None if message.value is None else row_at(last[subject].sequence, message.value)

    async def write(self, changes: Sequence[Change]) -> None:
        """Make changes of books; their followers are called even if the writer has given up."""
        answer: Eventual[None] = Eventual()
        last = {(change.book, change.key): change for change in changes}
        # The first one of a row names its condition, the last one what becomes of it.
        first = {(change.book, change.key): change.after for change in reversed(changes)}
        merged = [change._replace(after=first[place]) for place, change in last.items()]
        portions = [merged[start : start + MOST_IN_BATCH] for start in range(0, len(merged), MOST_IN_BATCH)]
        for portion in portions[:-1]:
            await self.write(portion)
        if not portions:
            return
        births = [self._mirror.birth_of(change.book, change.key) for change in portions[-1]]
        messages = [self._mirror.make_write(change, birth) for change, birth in zip(portions[-1], births, strict=True)]

        def note(written: Eventual[list[int]]) -> None:
            error = written.exception()
            if error is not None:
                answer.set_exception(error)
                return
            try:
                made = [
                    (change, self._mirror.take_write(change, birth, sequence))
                    for change, birth, sequence in zip(portions[-1], births, written.result(), strict=True)
                    if self._mirror.is_newer(change.book, change.key, sequence)
                ]
                for change, row in made:
                    self._followers.notify_change(change.book, change.key, row)
            finally:
                answer.set_result(None)

        self._writer.post_job(messages).add_done_callback(note)
        await answer

    async def put_user(self, known: StoredUser) -> None:
        await self.write([Change(USERS, known.user, msgspec.msgpack.encode(known))])

    async def delete_user(self, user: UserId) -> None:
        await self.write([Change(USERS, user, None)])

    async def note_alive(self, now_ms: int) -> None:
        await self.write([Change(CLUSTER, ALIVE, msgspec.msgpack.encode(Alive(self._epoch, now_ms)))])

    # --- the end ----------------------------------------------------------------------------------------

    def note_successor(self, epoch: int) -> None:
        """Write nothing more if that epoch, in which another node says that it serves, is newer than this node's.

        It says so once the engine has kept its epoch. To ask the engine first would take seconds where this node has
        just woken, or come back: then others hear it again before its connection to the engine is made again.
        """
        if self._writer.has_epoch and epoch > self._epoch:
            self._writer.note_deposed()

    def check_epoch_soon(self) -> None:
        """Look whether another node has taken an epoch."""
        if self._writer.has_epoch and self._checking is None:
            self._checking = self._start_task(self._check_epoch())

    async def confirm_epoch(self) -> None:
        await self._writer.check_epoch()
        if not self._writer.has_epoch:
            raise Deposed

    async def _check_epoch(self) -> None:
        try:
            await self._writer.check_epoch()
        except JournalError:
            pass  # then the next write tells
        finally:
            self._checking = None

    def _start_task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Finish pending writes, and disconnect."""
        self._gate.close()
        self._row_follower.stop_following()
        if self._writer.is_deposed:
            # This node is to wait for its turn: it may be needed sooner than the engine answers again.
            self._insistence.give_up()
            self._files_insistence.give_up()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._writer.finish_writes()
        await asyncio.gather(self._files.close(), self._engine.close())
        self.figures.state = "closed"


class TableList:
    """Lists the tables that have records, without reading any.

    A table that was deleted has one message for a day, which says so. A table of one message may be such a one, so that
    message is read, once for each table that is deleted; a new table soon has more.

    Args:
        engine: The engine.
        deleted: The sequences of messages that say that something was deleted, as far as this node knows, by subject.
    """

    def __init__(self, engine: Engine, deleted: Mapping[str, int]) -> None:
        self._engine = engine
        self._deleted = deleted
        self._found: set[str] = set()
        """The subjects of tables that were found to be deleted."""

    async def list_tables(self) -> list[TableId]:
        """List the tables that have records. Raises JournalError."""
        counts = await self._engine.count_messages(TABLES)
        self._found &= counts.keys()
        await self._find_deleted([each for each, count in counts.items() if count == 1 and not self._is_deleted(each)])
        left = [table_of(subject) for subject in counts if not self._is_deleted(subject)]
        return [table for table in left if table is not None]

    def _is_deleted(self, subject: str) -> bool:
        return subject in self._found or subject in self._deleted

    async def _find_deleted(self, subjects: list[str]) -> None:
        unread = iter(subjects)
        while portion := [*islice(unread, MOST_IN_BATCH)]:
            last = await self._engine.read_last(portion)
            # A row that is gone by now counts as deleted, too.
            self._found.update(each for each in portion if each not in last or not last[each].payload)
