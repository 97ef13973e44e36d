"""Group commit: one thread writes, and writes that come close together share one transaction and one sync."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, TypeVar

from scoville_server.background.eventual import Eventual
from scoville_server.clock import SYSTEM, Alarm, CallLater
from scoville_server.journal.base import CommitFailed, Conflict, Fenced, JournalError, StorageLost
from scoville_server.journal.faults import reason
from scoville_server.journal.store import Store
from scoville_shared.errors import Code

_log = logging.getLogger(__name__)

TOGETHER = 512
"""Writes in one commit: enough that the sync costs each of them next to nothing, few enough to be over soon."""

GATHER_SECONDS = 0.010
"""How long the writer waits at most for more writes to share a commit, which costs nearly the same for one as for
eight. With 580 moves a second, 10 ms instead of 8 save a twentieth of the CPU of a move; the median move takes 8.1
instead of 6.8 ms."""

GATHER_PER_WRITE = 0.0015
"""How long it waits for each write that commits had lately: with a hundred moves a second hardly any share one, and
10 ms would only be a delay."""

_LATELY = 8
"""Commits over which their writes are averaged."""

ENOUGH = 32
"""Writes for which no others are waited for."""

LONELY_COMMITS = 4
"""So many commits of a single write in a row show that nobody else is writing: the next ones wait for nobody."""

T = TypeVar("T")
Write = Callable[[Store], T]


class _Job(NamedTuple):
    write: Write[Any]
    answer: Eventual[Any]


class Writer:
    """Owns a store from now on. `most` writes may wait; one more is refused. `on_lost` is called on the loop.

    The loop gathers writes; the thread commits one batch at a time. It wakes up once for a commit, and the loop once
    for its results: each further wake-up would cost as much as a part of a move.
    """

    def __init__(
        self,
        store: Store,
        most: int,
        on_lost: Callable[[StorageLost], None] = lambda _: None,
        *,
        call_later: CallLater = SYSTEM.call_later,
    ) -> None:
        self._on_lost = on_lost
        self._call_later = call_later
        self._store = store
        self._most = most
        self._waiting = 0
        self._failing = False
        self._lost = False
        self._closing = False
        self._lonely = LONELY_COMMITS
        """How many commits in a row held a single write."""
        self._usual = 1.0
        """Average writes of the latest commits."""
        self._jobs: list[_Job] = []
        """Writes that no commit includes yet."""
        self._gathering: Alarm | None = None
        self._committing = False
        self._batches: SimpleQueue[list[_Job] | None] = SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._ended = self._loop.create_future()
        Thread(target=self._run, name="journal", daemon=True).start()

    def post(self, write: Write[T]) -> Eventual[T]:
        """Queue a write; the answer comes when it is on the disk, or is a JournalError when it is not."""
        answer: Eventual[T] = Eventual()
        if self._closing:
            answer.set_exception(JournalError("The server is shutting down.", Code.SHUTTING_DOWN))
        elif self._waiting >= self._most:
            sentence = "The server is overloaded; try again in a moment."
            answer.set_exception(JournalError(sentence, Code.BUSY))
        else:
            self._waiting += 1
            self._jobs.append(_Job(write, answer))
            self._proceed()
        return answer

    async def close(self) -> None:
        """Write what waits, and close the store."""
        if not self._closing:
            self._closing = True
            self._proceed()
        await asyncio.shield(self._ended)

    def _proceed(self) -> None:
        """Begin the next commit, unless one is under way or should wait for more writes."""
        if self._committing:
            return
        if not self._jobs:
            if self._closing:
                self._batches.put(None)
        elif self._lonely >= LONELY_COMMITS or len(self._jobs) >= ENOUGH or self._closing:
            self._hand_over()
        elif self._gathering is None:
            seconds = min(GATHER_SECONDS, GATHER_PER_WRITE * self._usual)
            self._gathering = self._call_later(seconds, self._hand_over)

    def _hand_over(self) -> None:
        """Let the thread commit the writes that wait, as many as one commit may hold."""
        if self._gathering is not None:
            self._gathering.cancel()
            self._gathering = None
        self._committing = True
        batch, self._jobs = self._jobs[:TOGETHER], self._jobs[TOGETHER:]
        self._batches.put(batch)

    def _settle(self, jobs: Sequence[_Job], results: Sequence[Any]) -> None:
        """Begin the next commit, and answer the writes of the last one."""
        self._waiting -= len(jobs)
        self._lonely = self._lonely + 1 if len(jobs) == 1 else 0
        self._usual += (len(jobs) - self._usual) / _LATELY
        self._committing = False
        self._proceed()
        for job, result in zip(jobs, results, strict=True):
            self._note(result)
            _answer(job.answer, result)

    def _note(self, result: Any) -> None:
        """Log once when writing begins to fail, when the files are lost, and when writing works again."""
        failed = isinstance(result, CommitFailed)
        lost = isinstance(result, StorageLost) and not self._lost
        if failed and (lost or not self._failing):
            _log.error("%s cannot be written: %s", self._store.path, _why(result))
        if lost:
            self._lost = True
            self._on_lost(result)
        if self._failing and not failed:
            _log.warning("%s can be written again.", self._store.path)
        self._failing = failed

    # --- on the writer's thread -------------------------------------------------------------------------

    def _run(self) -> None:
        with suppress(RuntimeError):  # the loop has ended without asking for the answers
            while (jobs := self._batches.get()) is not None:
                self._call(self._settle, jobs, self._commit(jobs))
            self._store.close()
            self._call(self._ended.set_result, None)

    def _call(self, function: Callable[..., object], *arguments: object) -> None:
        self._loop.call_soon_threadsafe(function, *arguments)

    def _commit(self, jobs: Sequence[_Job]) -> list[Any]:
        """Commit writes together; returns what each returned, or its exception."""
        try:
            return self._store.commit([job.write for job in jobs])
        except CommitFailed as error:  # the disk's, the file's or another program's fault: it hits them all
            return [error] * len(jobs)
        except Exception as error:  # noqa: BLE001 - one write's own fault must not be that of the others
            return [error] if len(jobs) == 1 else [result for job in jobs for result in self._commit([job])]


def _why(error: JournalError) -> str:
    if isinstance(error, StorageLost):
        return f"{error.what}. Nothing can be saved; stop this server, check its folder, and start it again."
    cause = error.__cause__
    known = reason(cause) if isinstance(cause, sqlite3.Error) else error.message.rstrip(".")
    return f"{known}. Moves are refused until it can."


def _answer(answer: Eventual[Any], result: Any) -> None:
    if isinstance(result, Fenced | Conflict):
        answer.set_exception(result)
    elif isinstance(result, JournalError):
        failure = JournalError(result.message, Code(result.code))
        failure.__cause__ = result
        answer.set_exception(failure)
    elif isinstance(result, Exception):
        answer.set_exception(result)
    else:
        answer.set_result(result)
