"""Group commit: one thread writes, and whatever waits at the same time shares one transaction and one sync."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, TypeVar

from scoville_server.journal.base import JournalError, StorageLost
from scoville_server.journal.faults import reason
from scoville_server.journal.store import Store
from scoville_shared.errors import Code

_log = logging.getLogger(__name__)

TOGETHER = 512
"""Writes in one commit: enough that the sync costs each of them next to nothing, few enough to be over soon."""

T = TypeVar("T")
Write = Callable[[Store], T]


class _Job(NamedTuple):
    write: Write[Any]
    answer: asyncio.Future[Any]


class Writer:
    """Owns a store from now on. `most` writes may wait; one more is refused. `on_lost` is called on the loop."""

    def __init__(self, store: Store, most: int, on_lost: Callable[[StorageLost], None] = lambda _: None) -> None:
        self._on_lost = on_lost
        self._store = store
        self._most = most
        self._waiting = 0
        self._failing = False
        self._closing = False
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._ended = self._loop.create_future()
        Thread(target=self._run, name="journal", daemon=True).start()

    def post(self, write: Write[T]) -> asyncio.Future[T]:
        """Have something written; the answer comes when it is on the disk, or as a JournalError when it is not."""
        if self._closing:
            raise JournalError("The server is shutting down.", Code.SHUTTING_DOWN)
        if self._waiting >= self._most:
            raise JournalError("The server has more to write than it can; try again in a moment.", Code.BUSY)
        self._waiting += 1
        answer: asyncio.Future[T] = self._loop.create_future()
        self._jobs.put(_Job(write, answer))
        return answer

    async def close(self) -> None:
        """Write what waits, and close the store."""
        if not self._closing:
            self._closing = True
            self._jobs.put(None)
        await asyncio.shield(self._ended)

    # --- on the writer's thread -------------------------------------------------------------------------

    def _run(self) -> None:
        with suppress(RuntimeError):  # the loop has ended without asking for the answers
            more = True
            while more:
                jobs, more = self._take()
                self._call(self._settle, jobs, self._commit(jobs))
            self._store.close()
            self._call(self._ended.set_result, None)

    def _call(self, function: Callable[..., object], *arguments: object) -> None:
        self._loop.call_soon_threadsafe(function, *arguments)

    def _take(self) -> tuple[list[_Job], bool]:
        """Wait for a write and take those that wait behind it; tells whether there will be more."""
        jobs: list[_Job] = []
        job = self._jobs.get()
        while job is not None:
            jobs.append(job)
            if len(jobs) >= TOGETHER:
                return jobs, True
            try:
                job = self._jobs.get_nowait()
            except Empty:
                return jobs, True
        return jobs, False

    def _commit(self, jobs: Sequence[_Job]) -> list[Any]:
        """Commit writes together; returns what each returned, or its exception."""
        if not jobs:
            return []
        try:
            return self._store.commit([job.write for job in jobs])
        except JournalError as error:  # the disk's, the file's or another program's fault: it hits them all
            return [error] * len(jobs)
        except Exception as error:  # noqa: BLE001 - one write's own fault must not be that of the others
            return [error] if len(jobs) == 1 else [result for job in jobs for result in self._commit([job])]

    # --- on the loop ------------------------------------------------------------------------------------

    def _settle(self, jobs: Sequence[_Job], results: Sequence[Any]) -> None:
        self._waiting -= len(jobs)
        for job, result in zip(jobs, results, strict=True):
            self._note(result)
            if not job.answer.done():
                _answer(job.answer, result)

    def _note(self, result: Any) -> None:
        """Tell the host once when writing begins to fail, and once when it works again."""
        failed = isinstance(result, JournalError)
        if failed and not self._failing:
            _log.error("%s cannot be written: %s", self._store.path, _why(result))
            if isinstance(result, StorageLost):
                self._on_lost(result)
        elif self._failing and not failed:
            _log.warning("%s is being written again.", self._store.path)
        self._failing = failed


def _why(error: JournalError) -> str:
    if isinstance(error, StorageLost):
        return f"{error.what}. Nothing can be saved any more; stop this server, look at its folder, and start it again."
    cause = error.__cause__
    known = reason(cause) if isinstance(cause, sqlite3.Error) else error.message.rstrip(".")
    return f"{known}. No move counts until it can."


def _answer(answer: asyncio.Future[Any], result: Any) -> None:
    if isinstance(result, JournalError):
        failure = JournalError(result.message, Code(result.code))
        failure.__cause__ = result
        answer.set_exception(failure)
    elif isinstance(result, Exception):
        answer.set_exception(result)
    else:
        answer.set_result(result)
