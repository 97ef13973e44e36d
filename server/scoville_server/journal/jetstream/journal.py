"""The journal of a cluster: records, rows and epochs as messages of one stream, written by the node that serves."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.events import EventLog, Events
from scoville_server.background.eventual import Eventual
from scoville_server.events import Damage
from scoville_server.identity.key import ServerKey
from scoville_server.journal.base import (
    ABSENT,
    START,
    Change,
    Conflict,
    Deposed,
    Fenced,
    JournalError,
    Mark,
    OnChange,
    Opened,
    Row,
    StoredTables,
    StoredUser,
)
from scoville_server.journal.books import PROTECTING, Followers
from scoville_server.journal.contents import newest_ms
from scoville_server.journal.figures import JournalFigures
from scoville_server.journal.jetstream.engine import (
    MOST_IN_BATCH,
    RETRY_SECONDS,
    Engine,
    Incoming,
    InFlight,
    NoAnswer,
    Outgoing,
    Refused,
)
from scoville_server.journal.jetstream.messages import (
    EPOCH,
    FENCE,
    Chain,
    EpochMessage,
    TableMark,
    make_row_message,
    make_table_message,
    read_row_message,
    row_at,
    row_of,
    sequence_of,
    subject_of_row,
    subject_of_table,
    table_of,
)
from scoville_server.journal.jetstream.mirror import ALIVE, CLUSTER, USERS, Mirror, describe_fault
from scoville_server.limits.live import Adjustable, as_live
from scoville_shared.errors import Code
from scoville_shared.ids import TableId, UserId

_log = logging.getLogger(__name__)

INSIST_SECONDS: Final = 12.0
"""How long a write waits for the engine. When a server of NATS dies, its streams elect another leader in 4 to 9 s."""


class Member(NamedTuple):
    """What the nodes of a cluster must have in common, and how users reach this one.

    Attributes:
        node: The name of this node.
        address: The "host:port" at which users reach it.
        key: The key of the server, the same on all nodes.
        secrets: Digests of further files that must be the same on all nodes, by the sentence that says what to copy.
    """

    node: str
    address: str
    key: ServerKey
    secrets: Mapping[str, bytes] = {}


class _Job(NamedTuple):
    """Messages that only the serving node may write, all or none, and their answer: their sequences."""

    messages: list[Outgoing]
    answer: Eventual[list[int]]


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
        member: This node.
        most: How many writes may wait.
        mirror: A mirror that has followed the engine; None for a new one.
        clock: The clock.
        events: Where damage is reported.
        leave_out_damaged: Whether to go on without damaged rows that protect players.
        insist_seconds: How long a write waits for the engine.
    """

    def __init__(
        self,
        engine: Engine,
        member: Member,
        most: Adjustable[int],
        *,
        mirror: Mirror | None = None,
        clock: Clock = SYSTEM,
        events: Events | None = None,
        leave_out_damaged: bool = False,
        insist_seconds: float = INSIST_SECONDS,
    ) -> None:
        self._engine = engine
        self._member = member
        self._clock = clock
        self._events = events or Events(EventLog(clock))
        self._leave_out_damaged = leave_out_damaged
        self._insist = insist_seconds
        self._mirror = mirror or Mirror(engine, self.report_damage, clock)
        self._is_new = mirror is None
        self._followers = Followers(self.report_damage)
        self.figures = JournalFigures(most)
        self._most = as_live(most)
        self._epoch = 0
        self._fence = 0
        self._deposed = self._closing = False
        self._own_tables: set[TableId] = set()
        """Tables to which this node has written in its epoch: no other one can have adopted them unnoticed."""
        self._jobs: list[_Job] = []
        self._committing: asyncio.Task[None] | None = None
        self._appending: set[asyncio.Task[None]] = set()
        self.on_deposed: Callable[[], None] = lambda: None

    # --- the start --------------------------------------------------------------------------------------

    async def open(self) -> Opened:
        """Connect, read everything, and compare this node with the cluster. Raises JournalError."""
        if self._is_new:
            await self._engine.connect()
        await self._mirror.catch_up()
        self._check_damage()
        await self._join_cluster()
        books = self._mirror.books()
        self._followers.show_rows(books)
        self._mirror.on_row = self._followers.notify_change
        await self._engine.read_epoch_hint(EPOCH, self._check_epoch_soon)
        return Opened(self._member.key, newest_ms({}, books, self._mirror.alive_ms))

    def _check_damage(self) -> None:
        for (book, _), error in self._mirror.take_damage().items():
            if book in PROTECTING and not self._leave_out_damaged:
                raise error
            self.report_damage(Damage(path=self._engine.place.name, reason=error.message))

    async def _join_cluster(self) -> None:
        """Compare the files that all nodes share with those of the first node. Raises JournalError."""
        same = {"Copy server.key from the data folder of another node": self._member.key.public, **self._member.secrets}
        for advice, digest in same.items():
            row = self._mirror.find_row(CLUSTER, advice)
            if row is None:
                row = await self._note_first(advice, digest)
            if row.value != digest:
                raise JournalError(f"This node is not like the others of the cluster. {advice}, and start it again.")

    async def _note_first(self, key: str, value: bytes) -> Row:
        """Note what the first node of a cluster has; returns what is noted, perhaps by another one."""
        subject = subject_of_row(CLUSTER, key)
        message = make_row_message(CLUSTER, key, self._mirror.birth_of(CLUSTER, key), value)
        try:
            sequence = await self._engine.publish(Outgoing(subject, msgspec.msgpack.encode(message), expected=0))
        except Refused:
            sequence = 0
        await self._mirror.catch_up(sequence)
        row = self._mirror.find_row(CLUSTER, key)
        if row is None:
            raise NoAnswer
        return row

    async def take_epoch(self) -> int:
        """Serve from now on. Raises JournalError, Conflict if another node was faster."""
        former = self._mirror.epoch
        epoch = EpochMessage(
            1 if former is None else former.epoch + 1,
            self._member.node,
            self._member.address,
            secrets.token_bytes(8),
        )
        message = Outgoing(EPOCH, msgspec.msgpack.encode(epoch), expected=self._mirror.epoch_sequence, replaces=True)
        self._fence = await self._publish_surely(message, Conflict(CLUSTER, EPOCH))
        # What came before it in the stream is complete, and nothing of an earlier node comes after it.
        await self._mirror.catch_up(self._fence)
        self._check_damage()
        self._epoch = epoch.epoch
        self.figures.state = "ready"
        return self._epoch

    async def tables(self) -> StoredTables:
        """Return the tables that were read, which are let go with that."""
        alive_ms = self._mirror.alive_ms
        return StoredTables(self._mirror.take_tables(), alive_ms)

    async def users(self) -> Sequence[StoredUser]:
        """Return the users."""
        return self._mirror.users()

    def follow(self, book: str, on_change: OnChange) -> None:
        """Call a function for every row and change of a book."""
        self._followers.add_follower(book, on_change, self._mirror.rows_of(book))

    def report_damage(self, damage: Damage) -> None:
        """Report something stored that cannot be used."""
        self._events.report_event(damage)

    # --- tables -----------------------------------------------------------------------------------------

    def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Awaitable[Mark]:
        """Keep records: the engine has them on a majority of its servers when the result comes."""
        kept: Eventual[Mark] = Eventual()
        mark = TableMark.read(after)
        message = make_table_message(table, records, mark, afresh=afresh)
        payload = msgspec.msgpack.encode(message)
        outgoing = Outgoing(subject_of_table(table), payload, expected=mark.sequence, replaces=afresh)
        count = message.n + len(message.records)

        def settle(sequence: int) -> None:
            kept.set_result(TableMark(sequence, count, message.seal).write())

        if table in self._own_tables and not self._deposed:
            self._post_append(outgoing, Fenced(table), settle, kept)
            return kept

        def settle_first(written: Eventual[list[int]]) -> None:
            error = written.exception()
            if error is not None:
                kept.set_exception(error)
                return
            self._own_tables.add(table)
            settle(written.result()[-1])

        self._post_job([outgoing]).add_done_callback(settle_first)
        return kept

    def _post_append(
        self, message: Outgoing, refusal: JournalError, settle: Callable[[int], None], kept: Eventual[Any]
    ) -> None:
        if self._closing:
            kept.set_exception(_shutting_down())
            return
        if self.figures.waiting >= self._most.value:
            kept.set_exception(_busy_error())
            return
        self.figures.waiting += 1
        began = self._clock.seconds()

        async def append() -> None:
            try:
                sequence = await self._publish_surely(message, refusal)
            except JournalError as error:
                self._note_write(began, failed=not isinstance(error, Fenced))
                kept.set_exception(error)
            else:
                self._note_write(began, failed=False)
                settle(sequence)

        task = asyncio.get_running_loop().create_task(append(), name="append")
        self._appending.add(task)
        task.add_done_callback(self._appending.discard)

    def _note_write(self, began: float, *, failed: bool, writes: int = 1) -> None:
        now = self._clock.seconds()
        figures = self.figures
        figures.waiting -= writes
        figures.writes += 0 if failed else writes
        figures.failed += writes if failed else 0
        figures.state = "failing" if failed else "ready"
        figures.note_commit(now - began, now)

    async def _publish_surely(self, message: Outgoing, refusal: JournalError) -> int:
        """Keep a message, and send it again until it is certain whether it was kept; returns its sequence.

        Raises `refusal` for a condition that is not met, and JournalError.
        """
        until = self._clock.seconds() + self._insist
        while True:
            try:
                return await self._engine.publish(message)
            except InFlight:
                pass
            except Refused:
                # Perhaps by this message itself, whose first answer was lost.
                last = await self._read_last_surely([message.subject], until)
                found = last.get(message.subject)
                if found is not None and found.payload == message.payload:
                    return found.sequence
                if message.expected == 0 and found is not None and _is_deleted(found):
                    message = message._replace(expected=found.sequence)
                    continue
                raise refusal from None
            except NoAnswer:
                pass
            await self._pause(until)

    async def _read_last_surely(self, subjects: Sequence[str], until: float) -> Mapping[str, Incoming]:
        while True:
            try:
                return await self._engine.read_last(subjects)
            except (NoAnswer, InFlight):
                await self._pause(until)

    async def _pause(self, until: float) -> None:
        """Wait before the next attempt. Raises JournalError when it is too late for one."""
        if self._clock.seconds() >= until:
            raise JournalError(
                "The engine of the cluster did not answer; whether this was saved is unknown.", Code.OUTCOME_UNKNOWN
            )
        await self._clock.sleep(RETRY_SECONDS)

    async def read(self, table: TableId) -> tuple[list[bytes], Mark]:
        """Return a table's records and their mark. Raises JournalError for a table with a hole."""
        subject = subject_of_table(table)
        until = self._clock.seconds() + self._insist
        while True:
            last = (await self._read_last_surely([subject], until)).get(subject)
            if last is None or not last.payload:
                return [], START
            chain = Chain(table)
            try:
                async for message in self._engine.read_from(1, subject):
                    if message.payload:
                        chain.take_message(message.sequence, message.payload)
                    else:
                        chain = Chain(table)
            except NoAnswer:
                await self._pause(until)
                continue
            # A replica that is behind is asked again.
            if chain.mark.sequence >= last.sequence:
                break
            await self._pause(until)
        if chain.fault:
            raise JournalError(describe_fault(chain))
        return chain.records, chain.mark.write()

    async def retire(self, table: TableId, after: Mark) -> None:
        """Delete a table's records."""
        subject = subject_of_table(table)
        mark = TableMark.read(after)
        message = Outgoing(subject, b"", expected=mark.sequence, replaces=True, expires=True)
        try:
            (sequence,) = await self._post_job([message])
        except Fenced:
            if (await self.read(table))[1] != START:
                raise
            return
        self._own_tables.discard(table)
        self._mirror.deleted[subject] = sequence

    # --- rows -------------------------------------------------------------------------------------------

    async def get(self, book: str, key: str) -> Row | None:
        """Read a row of a book."""
        subject = subject_of_row(book, key)
        last = await self._read_last_surely([subject], self._clock.seconds() + self._insist)
        if subject not in last:
            return None
        message = read_row_message(book, key, last[subject].payload)
        return None if message.value is None else row_at(last[subject].sequence, message.value)

    async def write(self, changes: Sequence[Change]) -> None:
        """Make changes of books; their followers are called even if the writer waits no longer."""
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
        messages = [self._make_row(change, birth) for change, birth in zip(portions[-1], births, strict=True)]

        def note(written: Eventual[list[int]]) -> None:
            error = written.exception()
            if error is not None:
                answer.set_exception(error)
                return
            try:
                rows = [
                    self._take_row(change, birth, sequence)
                    for change, birth, sequence in zip(portions[-1], births, written.result(), strict=True)
                ]
                self._followers.notify_followers(portions[-1], rows)
            finally:
                answer.set_result(None)

        self._post_job(messages).add_done_callback(note)
        await answer

    def _make_row(self, change: Change, birth: int) -> Outgoing:
        book, key, value, after = change
        subject = subject_of_row(book, key)
        message = make_row_message(book, key, birth, value)
        expected = None if after is None else sequence_of(after)
        if after == ABSENT:
            expected = self._mirror.deleted.get(subject, 0)
        return Outgoing(
            subject, msgspec.msgpack.encode(message), expected=expected, replaces=True, expires=value is None
        )

    def _take_row(self, change: Change, birth: int, sequence: int) -> Row | None:
        subject = subject_of_row(change.book, change.key)
        self._mirror.note_row(change.book, change.key, subject, sequence, birth, change.value)
        return None if change.value is None else row_at(sequence, change.value)

    async def remember(self, known: StoredUser) -> None:
        """Store a user."""
        await self.write([Change(USERS, known.user, msgspec.msgpack.encode(known))])

    async def forget(self, user: UserId) -> None:
        """Delete a user."""
        await self.write([Change(USERS, user, None)])

    async def beat(self, now_ms: int) -> None:
        """Note that the server is alive."""
        await self.write([Change(CLUSTER, ALIVE, msgspec.msgpack.encode(now_ms))])

    # --- what only the serving node may write -------------------------------------------------------------

    def _post_job(self, messages: list[Outgoing]) -> Eventual[list[int]]:
        """Write messages together with those of other callers; the answer is their sequences."""
        answer: Eventual[list[int]] = Eventual()
        if self._closing:
            answer.set_exception(_shutting_down())
        elif self._deposed or not self._epoch:
            answer.set_exception(Deposed())
        elif self.figures.waiting >= self._most.value:
            answer.set_exception(_busy_error())
        else:
            self.figures.waiting += 1
            self._jobs.append(_Job(messages, answer))
            if self._committing is None:
                self._committing = asyncio.get_running_loop().create_task(self._commit_jobs(), name="journal")
        return answer

    async def _commit_jobs(self) -> None:
        """Write what waits, one batch after the other: the engine judges no two with the same condition at once."""
        try:
            while self._jobs:
                batch = self._take_batch()
                began = self._clock.seconds()
                results = await self._commit_batch(batch)
                failed = any(isinstance(result, NoAnswer) for result in results)
                self._note_write(began, failed=failed, writes=len(batch))
                for job, result in zip(batch, results, strict=True):
                    if isinstance(result, JournalError):
                        job.answer.set_exception(result)
                    else:
                        job.answer.set_result(result)
        finally:
            self._committing = None

    def _take_batch(self) -> list[_Job]:
        """Take the jobs that fit into one batch: it may have no subject twice."""
        batch: list[_Job] = []
        subjects: set[str] = set()
        size = 1
        for job in self._jobs:
            named = {message.subject for message in job.messages}
            if batch and (size + len(named) > MOST_IN_BATCH or subjects & named):
                break
            batch.append(job)
            subjects |= named
            size += len(named)
        self._jobs = self._jobs[len(batch) :]
        return batch

    async def _commit_batch(self, jobs: Sequence[_Job], attempts: int = 3) -> list[list[int] | JournalError]:
        """Write jobs together; returns the sequences of each, or its error."""
        until = self._clock.seconds() + self._insist
        fence = Outgoing(FENCE, b"", expected=self._fence, guard=EPOCH, replaces=True)
        messages = [fence, *(message for job in jobs for message in job.messages)]
        try:
            while True:
                try:
                    return _share_out(await self._engine.publish_batch(messages), jobs)
                except InFlight:
                    pass
                except Refused:
                    break
                except NoAnswer:
                    pass
                await self._pause(until)
            kept = await self._find_kept(jobs, until)
        except JournalError as error:
            return [error] * len(jobs)
        if kept is not None:
            return kept
        if len(jobs) > 1:
            # The condition of one of them must not refuse all others.
            return [result for job in jobs for result in await self._commit_batch([job])]
        return [await self._judge_refused(jobs[0], until, attempts)]

    async def _find_kept(self, jobs: Sequence[_Job], until: float) -> list[list[int] | JournalError] | None:
        """Return the sequences if the jobs were kept after all, by an attempt whose answer was lost."""
        subjects = [message.subject for job in jobs for message in job.messages]
        last = await self._read_last_surely(subjects, until)
        sequences = [0]
        for job in jobs:
            for message in job.messages:
                found = last.get(message.subject)
                if found is None or found.payload != message.payload or not message.payload:
                    return None
                sequences.append(found.sequence)
        return _share_out(sequences, jobs)

    async def _judge_refused(self, job: _Job, until: float, attempts: int) -> list[int] | JournalError:
        """Find out why the engine has refused a job; one that only looked stale is written again."""
        try:
            last = await self._read_last_surely([EPOCH, *(message.subject for message in job.messages)], until)
        except JournalError as error:
            return error
        epoch = last.get(EPOCH)
        if epoch is None or epoch.sequence != self._fence:
            self._note_deposed()
            return Deposed()
        corrected = []
        for message in job.messages:
            found = last.get(message.subject)
            sequence = 0 if found is None else found.sequence
            if message.expected is None or message.expected == sequence:
                corrected.append(message)
            elif (found is None or _is_deleted(found)) and message.expected in (
                0,
                self._mirror.deleted.get(message.subject),
            ):
                # What is deleted is absent, whether or not the engine still remembers that.
                corrected.append(message._replace(expected=sequence))
            else:
                return _conflict_of(message)
        if not attempts:
            return JournalError("The engine of the cluster has refused this; nothing was saved. Try again.")
        (result,) = await self._commit_batch([_Job(corrected, job.answer)], attempts - 1)
        return result

    # --- the end ----------------------------------------------------------------------------------------

    def _check_epoch_soon(self) -> None:
        """Look whether another node has taken an epoch."""
        if self._epoch and not self._deposed and not self._closing:
            task = asyncio.get_running_loop().create_task(self._check_epoch(), name="epoch")
            self._appending.add(task)
            task.add_done_callback(self._appending.discard)

    async def _check_epoch(self) -> None:
        try:
            last = await self._read_last_surely([EPOCH], self._clock.seconds() + self._insist)
        except JournalError:
            return  # the next write tells
        if EPOCH in last and last[EPOCH].sequence != self._fence:
            self._note_deposed()

    def _note_deposed(self) -> None:
        if not self._deposed:
            self._deposed = True
            asyncio.get_running_loop().call_soon(self.on_deposed)

    async def close(self) -> None:
        """Finish pending writes, and disconnect."""
        self._closing = True
        waiting = [*self._appending, *([] if self._committing is None else [self._committing])]
        await asyncio.gather(*waiting, return_exceptions=True)
        await self._engine.close()
        self.figures.state = "closed"


def _share_out(sequences: Sequence[int], jobs: Sequence[_Job]) -> list[list[int] | JournalError]:
    """Return each job's share of the sequences, of which the first is that of the fence."""
    shares: list[list[int] | JournalError] = []
    start = 1
    for job in jobs:
        shares.append([*sequences[start : start + len(job.messages)]])
        start += len(job.messages)
    return shares


def _is_deleted(message: Incoming) -> bool:
    """Whether a message says that something was deleted."""
    if table_of(message.subject) is not None:
        return not message.payload
    row = row_of(message.subject)
    return row is not None and read_row_message(*row, message.payload).value is None


def _conflict_of(message: Outgoing) -> JournalError:
    table = table_of(message.subject)
    if table is not None:
        return Fenced(table)
    row = row_of(message.subject)
    assert row is not None, "only tables and rows have conditions"
    return Conflict(*row)


def _shutting_down() -> JournalError:
    return JournalError("The server is shutting down.", Code.SHUTTING_DOWN)


def _busy_error() -> JournalError:
    return JournalError("The server is overloaded; try again in a moment.", Code.BUSY)
