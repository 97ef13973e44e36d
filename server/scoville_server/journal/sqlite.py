"""SQLite implementation of the Journal protocol: one file in the data folder, written by a thread of its own."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, TypeVar

from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.events import EventLog, Events
from scoville_server.background.eventual import Eventual
from scoville_server.events import CommitFailed, CommitRecovered, Damage, SlowCommit
from scoville_server.journal import base
from scoville_server.journal.base import (
    START,
    Change,
    Conflict,
    Fenced,
    JournalError,
    Mark,
    OnChange,
    Opened,
    Row,
    StorageLost,
    StoredTable,
    StoredTables,
    StoredUser,
)
from scoville_server.journal.books import Followers, UserFollowers
from scoville_server.journal.contents import newest_ms
from scoville_server.journal.faults import sentence_of
from scoville_server.journal.figures import JournalFigures
from scoville_server.journal.statements import Statements
from scoville_server.journal.store import Store
from scoville_server.limits.live import Adjustable, as_live
from scoville_shared.errors import Code
from scoville_shared.ids import TableId, UserId

TOGETHER = 512
"""Writes in one commit: enough that the sync costs each of them next to nothing, few enough to be over soon."""

SLOW_SECONDS = 0.25
"""A commit that takes so long is reported: everybody whose move is in it notices it."""

QUIET_SECONDS = 2.0
"""After so long without a write the log is folded into the file, which costs two syncs that nobody waits for then."""

T = TypeVar("T")
Write = Callable[[Statements], T]


class _Job(NamedTuple):
    write: Write[Any]
    answer: Eventual[Any]


class EarlyWrites:
    """Writes before the journal is ready: they wait for the writer. `most` may wait; one more is refused."""

    def __init__(self, most: Adjustable[int]) -> None:
        self._most = as_live(most)
        self._jobs: list[_Job] = []
        self._refused = False

    def post_write(self, write: Write[T]) -> Eventual[T]:
        """Queue a write."""
        answer: Eventual[T] = Eventual()
        if self._refused:
            answer.set_exception(_shutting_down())
        elif len(self._jobs) >= self._most.value:
            answer.set_exception(_busy_error())
        else:
            self._jobs.append(_Job(write, answer))
        return answer

    def post_to(self, writer: "Writer") -> None:
        """Pass the writes on."""
        jobs, self._jobs = self._jobs, []
        for job in jobs:
            writer.take_job(job)

    def refuse_all(self) -> None:
        """Refuse the writes that wait, and all others."""
        self._refused = True
        jobs, self._jobs = self._jobs, []
        for job in jobs:
            job.answer.set_exception(_shutting_down())


# Decision 006: one thread commits, and no timer gathers writes: 10 ms of gathering made a move take 6 ms, not 0.5.
class Writer:
    """Owns a store from now on. `most` writes may wait; one more is refused. `on_lost` is called on the loop.

    `figures` are counted on the loop; `now` returns monotonic seconds, in any thread.

    The rule: a write waits for nothing but the commit that is under way. While none is, the writes of one turn of the
    loop are committed at its end; while one is, everything gathers for the next. So a single player waits for one sync,
    and the busier loop and disk are, the more writes share a commit and the less each of them costs.
    """

    def __init__(
        self,
        store: Store,
        most: Adjustable[int],
        on_lost: Callable[[StorageLost], None] = lambda _: None,
        figures: JournalFigures | None = None,
        now: Callable[[], float] = SYSTEM.seconds,
        events: Events | None = None,
    ) -> None:
        self._on_lost = on_lost
        self._events = events or Events()
        self._store = store
        self._most = as_live(most)
        self._figures = figures or JournalFigures(self._most)
        self._figures.state, self._figures.path = "ready", store.path
        self._now = now
        self._failing = False
        self._lost = False
        self._closing = False
        self._jobs: list[_Job] = []
        """Writes that no commit includes yet."""
        self._busy = False
        """Whether a commit is under way, or begins at the end of this turn of the loop."""
        self._batches: SimpleQueue[list[_Job] | None] = SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._ended = self._loop.create_future()
        Thread(target=self._write_jobs, name="journal", daemon=True).start()

    def post_write(self, write: Write[T]) -> Eventual[T]:
        """Queue a write; the answer comes when it is on the disk, or is a JournalError when it is not."""
        answer: Eventual[T] = Eventual()
        self.take_job(_Job(write, answer))
        return answer

    def take_job(self, job: "_Job") -> None:
        """Queue a write with its answer."""
        if self._closing:
            job.answer.set_exception(_shutting_down())
        elif self._figures.waiting >= self._most.value:
            job.answer.set_exception(_busy_error())
        else:
            self._figures.waiting += 1
            self._jobs.append(job)
            if not self._busy:
                self._busy = True
                # At the end of this turn: other connections' writes in it share the commit.
                self._loop.call_soon(self._commit_next)

    async def close(self) -> None:
        """Write waiting records, and close the store."""
        if not self._closing:
            self._closing = True
            if not self._busy:
                self._commit_next()
        # Shielded: a caller that gives up must not cancel a write that all others wait for.
        await asyncio.shield(self._ended)

    def _commit_next(self) -> None:
        """Let the thread commit the writes that wait, as many as one commit may hold."""
        self._busy = bool(self._jobs)
        if self._jobs:
            batch, self._jobs = self._jobs[:TOGETHER], self._jobs[TOGETHER:]
            self._batches.put(batch)
        elif self._closing:
            self._batches.put(None)

    def _answer_jobs(self, jobs: Sequence[_Job], results: Sequence[Any], seconds: float) -> None:
        """Begin the next commit, and answer the writes of the last one, which took so many seconds."""
        # Counted out and the next commit begun before any answer: the disk works while the answers run.
        self._figures.waiting -= len(jobs)
        self._commit_next()
        self._figures.commits.add_duration(seconds, self._now())
        if seconds >= SLOW_SECONDS:
            self._events.report_event(SlowCommit(seconds=round(seconds, 3), writes=len(jobs)))
        for job, result in zip(jobs, results, strict=True):
            self._note_result(result)
            _set_answer(job.answer, result)

    def _note_result(self, result: Any) -> None:
        """Log once when writing begins to fail, when the files are lost, and when writing works again."""
        failed = isinstance(result, base.CommitFailed)
        lost = isinstance(result, StorageLost) and not self._lost
        if failed and (lost or not self._failing):
            path, reason = str(self._store.path), _warning_of(result)
            self._events.report_event(CommitFailed(code=result.code, path=path, reason=reason))
        if lost:
            self._lost = True
            self._on_lost(result)
        if self._failing and not failed:
            self._events.report_event(CommitRecovered(path=str(self._store.path)))
        self._failing = failed
        figures = self._figures
        figures.writes, figures.failed = figures.writes + (not failed), figures.failed + failed
        figures.state = "lost" if self._lost else "failing" if failed else "ready"

    # --- on the writer's thread -------------------------------------------------------------------------

    def _write_jobs(self) -> None:
        with suppress(RuntimeError):  # the loop has ended without asking for the answers
            while (jobs := self._next_batch()) is not None:
                began = self._now()
                results = self._commit_jobs(jobs)
                self._call_loop(self._answer_jobs, jobs, results, self._now() - began)
            self._store.close()
            self._call_loop(self._ended.set_result, None)

    def _next_batch(self) -> list[_Job] | None:
        """Wait for a batch; once none has come for a while, fold the log into the file, and wait on."""
        try:
            return self._batches.get(timeout=QUIET_SECONDS)
        except Empty:
            # Only when it is quiet, and once: the second wait has no time limit, since there is nothing more to fold.
            self._store.fold_log()
            return self._batches.get()

    def _call_loop(self, function: Callable[..., object], *arguments: object) -> None:
        self._loop.call_soon_threadsafe(function, *arguments)

    def _commit_jobs(self, jobs: Sequence[_Job]) -> list[Any]:
        """Commit writes together; returns what each returned, or its exception."""
        try:
            return self._store.commit_writes([job.write for job in jobs])
        except base.CommitFailed as error:  # the disk's, the file's or another program's fault: it hits them all
            return [error] * len(jobs)
        except Exception as error:  # noqa: BLE001 - one write's own fault must not be that of the others
            return [error] if len(jobs) == 1 else [result for job in jobs for result in self._commit_jobs([job])]


def _shutting_down() -> JournalError:
    return JournalError("The server is shutting down.", Code.SHUTTING_DOWN)


def _busy_error() -> JournalError:
    return JournalError("The server is overloaded; try again in a moment.", Code.BUSY)


def _warning_of(error: base.CommitFailed) -> str:
    if isinstance(error, StorageLost):
        return f"{error.what}. Nothing can be saved; stop this server, check its folder, and start it again."
    if isinstance(error, base.FolderUnreachable):
        return f"{error.what}. Moves are refused until it is back: move it back, or mount its disk again."
    return f"{sentence_of(error)}. Moves are refused until it can."


def _set_answer(answer: Eventual[Any], result: Any) -> None:
    # These belong to a single write, whose caller looks at the named rows.
    if isinstance(result, Fenced | Conflict):
        answer.set_exception(result)
    elif isinstance(result, JournalError):
        # One exception for each writer: a shared one would collect the tracebacks of all that raise it.
        failure = JournalError(result.message, Code(result.code))
        failure.__cause__ = result
        answer.set_exception(failure)
    elif isinstance(result, Exception):
        answer.set_exception(result)
    else:
        answer.set_result(result)


class SqliteJournal:
    """A `Journal` in a folder, which is made when it is not there; nothing is touched before `open`.

    `most` writes may wait for the disk at a time. `leave_out_damaged` opens a journal without damaged rows that protect
    players; without any others it is opened in any case.
    """

    def __init__(
        self,
        folder: Path,
        most: Adjustable[int],
        *,
        leave_out_damaged: bool = False,
        clock: Clock = SYSTEM,
        events: Events | None = None,
    ) -> None:
        self._clock = clock
        self._folder = folder
        self._events = events or Events(EventLog(clock))
        self._leave_out_damaged = leave_out_damaged
        self._most = as_live(most)
        self._inspected: Store | None = None
        self._early = EarlyWrites(self._most)
        self._writer: Writer | EarlyWrites = self._early
        self._followers = Followers(self.report_damage)
        self._user_followers = UserFollowers()
        self.follow_users = self._user_followers.add_follower
        self._tables, self._users = StoredTables({}), list[StoredUser]()
        """Rows that were read and not taken yet."""
        self.figures = JournalFigures(self._most)
        self.on_lost: Callable[[StorageLost], None] = lambda _: None

    async def open(self) -> Opened:
        """Lock the folder, read its journal, and make it ready for writing. Raises JournalError."""
        opened = await self.inspect()
        await self.prepare()
        return opened

    async def inspect(self) -> Opened:
        """Lock the folder and read its journal, without a change. Raises JournalError."""
        store = Store(
            self._folder,
            leave_out_damaged=self._leave_out_damaged,
            clock=self._clock,
            look_only=True,
            report_damage=self.report_damage,
        )
        try:
            kept = store.load_rows()
            self._followers.show_rows(kept.books)
        except BaseException:
            store.close()
            raise
        # Kept open with its lock, so that nothing can change between the look and the start.
        self._inspected = store
        tables = {table: StoredTable(records, kept.marks[table]) for table, records in kept.tables.items()}
        self._tables, self._users = StoredTables(tables, kept.alive_ms), [*kept.users]
        return Opened(kept.key, newest_ms(kept.tables, kept.books, kept.alive_ms))

    async def tables(self) -> StoredTables:
        """Return the tables that were read, which are let go with that."""
        tables, self._tables = self._tables, StoredTables({})
        return tables

    async def users(self) -> Sequence[StoredUser]:
        """Return the users that were read, which are let go with that."""
        users, self._users = self._users, []
        return users

    async def prepare(self) -> None:
        """Make the journal ready, and begin with the writes that have been waiting for that. Raises JournalError."""
        store = self._inspected
        assert store is not None, "a journal is inspected before it is written"
        store.open()
        store.order_recent()
        self._writer = Writer(store, self._most, self.on_lost, self.figures, self._clock.seconds, self._events)
        self._inspected = None
        self._early.post_to(self._writer)

    def abandon(self) -> None:
        """Give up a start: refuse the writes that wait for it."""
        self._early.refuse_all()

    def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Eventual[Mark]:
        """Keep records: they are on the disk when the result comes."""

        def write(statements: Statements) -> Mark:
            statements.appends.check_mark(table, after)
            if afresh:
                statements.delete_records(table)
            return statements.appends.add_records(table, records)

        return self._writer.post_write(write)

    async def read(self, table: TableId) -> tuple[list[bytes], Mark]:
        return await self._writer.post_write(
            lambda statements: (statements.read_records(table), statements.appends.mark_of(table))
        )

    async def delete_records(self, table: TableId, after: Mark) -> None:
        def write(statements: Statements) -> None:
            # Without records nothing is left to delete: a retry whose first attempt was stored must succeed.
            if statements.appends.mark_of(table) != START:
                statements.appends.check_mark(table, after)
                statements.delete_records(table)

        await self._writer.post_write(write)

    async def put_user(self, known: StoredUser) -> None:
        await self._writer.post_write(partial(Statements.put_user, known=known))
        self._user_followers.notify_change(known.user, known)

    async def delete_user(self, user: UserId) -> None:
        await self._writer.post_write(partial(Statements.delete_user, user=user))
        self._user_followers.notify_change(user, None)

    async def get(self, book: str, key: str) -> Row | None:
        return await self._writer.post_write(lambda statements: statements.get_row(book, key))

    async def write(self, changes: Sequence[Change]) -> None:
        """Make changes of books; their followers are called even if the writer has given up."""
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

        self._writer.post_write(partial(Statements.write_changes, changes=changes)).add_done_callback(committed)
        await answer

    def report_damage(self, damage: Damage) -> None:
        self._events.report_event(damage)

    def follow(self, book: str, on_change: OnChange) -> None:
        """Call a function for every row and change of a book. No other process writes to the locked folder."""
        if not isinstance(self._writer, Writer):  # `inspect` shows the rows
            self._followers.add_follower(book, on_change)
            return

        def show(read: Eventual[list[tuple[str, Row]]]) -> None:
            self._followers.add_follower(book, on_change, read.result())

        # Answered between the writes before it and those after it, so that nothing is missed or read twice.
        self._writer.post_write(lambda statements: statements.read_book(book)).add_done_callback(show)

    async def note_alive(self, now_ms: int) -> None:
        await self._writer.post_write(lambda statements: statements.write_beat(now_ms))

    async def close(self) -> None:
        """Finish pending writes, and release the folder."""
        self._early.refuse_all()
        if isinstance(self._writer, Writer):
            await self._writer.close()
        elif self._inspected is not None:
            self._inspected.close()
            self._inspected = None
        self.figures.state = "closed"
