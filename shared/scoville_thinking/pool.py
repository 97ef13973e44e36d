"""Process pool that answers the questions of searching bots, for event loops and other callers that must not block.

A process starts when it is first needed and ends when it has been idle for long. Where an asker has too much waiting,
or a process fails, there is no answer, and the caller plays the first move of the question, that of a rule of thumb.

Askers take turns, so that one with many requests does not delay the others. An asker is a path from the widest group to
the narrowest, such as (network, address, user, table). At every level the groups take turns: two networks get half of
the work each, and within one of them its users share that half.
"""

import logging
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from math import inf
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Final, Generic, NamedTuple, TypeVar

from scoville_runtime.back_off import BackOff
from scoville_runtime.clock import THREADED, Alarm, Clock
from scoville_shared.bots.search import Thought
from scoville_thinking.messages import Task, WarmUp, Work, receive_message, send_message

T = TypeVar("T")

Asker = tuple[str, ...]
"""Groups from the widest to the narrowest; all askers of one queue have the same number of them."""


class FairQueue(Generic[T]):
    """Bounded queue from which groups of askers take turns.

    Args:
        most: Most items that wait.
        quotas: Most items of one group, by level from the widest to the narrowest; levels without one are not bounded.
    """

    def __init__(self, most: int, quotas: Sequence[int] = ()) -> None:
        self._most = most
        self._quotas = tuple(quotas)
        self._root: _Group[T] = _Group()

    def __len__(self) -> int:
        return self._root.size

    def put_item(self, asker: Asker, item: T) -> list[T]:
        """Add an item; return the items that find no place.

        That is the item itself if a group of its asker has its quota. A full queue drops the latest item of the widest
        group that has most, which may be the new item.
        """
        if any(self._root.count_held(asker[:level]) >= quota for level, quota in enumerate(self._quotas, 1)):
            return [item]
        self._root.add_item(asker, item)
        return [self._root.drop_latest()] if len(self) > self._most else []

    def take_item(self) -> T | None:
        """Remove and return the item whose turn it is; None if there is none."""
        return self._root.take_item() if len(self) else None

    def remove_item(self, asker: Asker, item: T) -> None:
        """Remove an item that no one wants any more; one that has been taken is ignored."""
        self._root.remove_item(asker, item)


class _Group(Generic[T]):
    """A group of askers: smaller groups in the order of their turns, or at the narrowest level its items."""

    def __init__(self) -> None:
        self.size = 0
        self._groups: dict[str, _Group[T]] = {}
        self._items: deque[T] = deque()

    def count_held(self, path: Asker) -> int:
        """Return how many items the group at a path has."""
        if not path:
            return self.size
        group = self._groups.get(path[0])
        return group.count_held(path[1:]) if group is not None else 0

    def add_item(self, path: Asker, item: T) -> None:
        self.size += 1
        if path:
            self._groups.setdefault(path[0], _Group()).add_item(path[1:], item)
        else:
            self._items.append(item)

    def remove_item(self, path: Asker, item: T) -> bool:
        """Remove an item below a path; return whether it was there."""
        if not path:
            found = item in self._items
            if found:
                self._items.remove(item)
        else:
            group = self._groups.get(path[0])
            found = group is not None and group.remove_item(path[1:], item)
            if group is not None and not group.size:
                del self._groups[path[0]]
        self.size -= found
        return found

    def take_item(self) -> T:
        self.size -= 1
        if not self._groups:
            return self._items.popleft()
        # A dict keeps the order of insertion: the first group has waited longest, and goes behind the others.
        name = next(iter(self._groups))
        group = self._groups.pop(name)
        item = group.take_item()
        if group.size:
            self._groups[name] = group
        return item

    def drop_latest(self) -> T:
        """Remove the latest item of the largest group; of two equal ones that of the later."""
        # A user who floods the queue loses by it: those with few questions keep theirs.
        self.size -= 1
        if not self._groups:
            return self._items.pop()
        name = max(reversed(self._groups), key=lambda name: self._groups[name].size)
        item = self._groups[name].drop_latest()
        if not self._groups[name].size:
            del self._groups[name]
        return item


FIRST_SECONDS: Final = 1.0
"""The wait after one failure: long enough that failures cost little, short enough that few moves miss a search."""

LONGEST_SECONDS: Final = 60.0


class RestartDelay:
    """Says when a process may be started again.

    Args:
        now: Monotonic seconds.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._waits = BackOff(FIRST_SECONDS, LONGEST_SECONDS)
        self._until: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether a process may be started."""
        return self._until is None or self._now() >= self._until

    def note_failure(self) -> None:
        """Note that a process has died or could not be started. Several failures of one moment count once."""
        if self.is_over:
            self._until = self._now() + self._waits.next_wait()

    def note_success(self) -> None:
        """Note that a process has answered: the next failure is the first one again."""
        self._until = None
        self._waits.start_over()


COMMAND: Final = (sys.executable, "-m", "scoville_thinking.worker")


class Process:
    """One worker process. Raises OSError if it cannot be started."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def answer_request(self, request: Task | WarmUp | Work) -> object:
        """Send a request and wait for its answer. Raises OSError and EOFError if the process has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        send_message(self._process.stdin, request)
        return receive_message(self._process.stdout)

    def end_process(self) -> None:
        """End the process, even in the middle of a task."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                # Requests not yet written were for a process that has ended.
                with suppress(OSError):
                    stream.close()


_log = logging.getLogger(__name__)

HANGING_SECONDS: Final = 60.0
"""Enough for a cold start and for compiling on a slow machine."""


class PoolLimits(NamedTuple):
    """Bounds of a pool.

    Attributes:
        workers: Most processes at a time.
        idle_seconds: Seconds without a task after which the processes end.
        waiting: Most tasks that wait.
        quotas: Most tasks that wait, for each level of askers, from the widest group to the narrowest.
        hanging_seconds: Seconds that a task may take beyond its own time; then its process is killed.
        most_seconds: Seconds that no task may take, whatever its own time.
    """

    workers: int = 1
    idle_seconds: float = 300.0
    waiting: int = 64
    quotas: tuple[int, ...] = ()
    hanging_seconds: float = HANGING_SECONDS
    most_seconds: float = inf


class _DaemonThreads:
    """Threads that do work; each starts when all others have some.

    An executor's threads are joined before any other function of the interpreter's end: a process that is still to
    answer would hold up a client that was quit.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._work: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._threads: list[Thread] = []
        self._idle = 0
        self._lock = Lock()

    def submit_work(self, work: Callable[[], object]) -> None:
        """Do work as soon as a thread is free."""
        with self._lock:
            self._idle -= 1  # one that is below zero has more to do than there are threads
            if self._idle < 0 and len(self._threads) < self.most:
                self._idle += 1
                thread = Thread(target=self._do_work, name="thinking", daemon=True)
                self._threads.append(thread)
                thread.start()
        self._work.put(work)

    def join_threads(self) -> None:
        """Wait until all work is done; none may be submitted any more."""
        for _ in self._threads:
            self._work.put(None)
        for thread in self._threads:
            thread.join()
        self._threads.clear()

    def _do_work(self) -> None:
        while (work := self._work.get()) is not None:
            work()
            with self._lock:
                self._idle += 1


class _Job(NamedTuple):
    request: Task | WarmUp | Work
    answer: "Future[Any]"


# Decision 048: processes of their own, since compiled kernels cost 210 MB and seconds that no event loop has.
class Pool:
    """Answers tasks in processes, for callers in any thread.

    Args:
        limits: How many processes and tasks there may be.
        clock: The time of back-offs and idle processes.
        start: Starts a process.
    """

    def __init__(
        self, limits: PoolLimits | None = None, *, clock: Clock = THREADED, start: Callable[[], Process] = Process
    ) -> None:
        limits = limits or PoolLimits()
        self._clock = clock
        self._start = start
        self._threads = _DaemonThreads(limits.workers)
        self._queue: FairQueue[_Job] = FairQueue(limits.waiting, limits.quotas)
        self._restart_delay = RestartDelay(clock.seconds)
        self._idle_seconds = limits.idle_seconds
        self._hanging_seconds = limits.hanging_seconds
        self._most_seconds = limits.most_seconds
        self._lock = Lock()
        self._free: list[Process] = []
        self._all: set[Process] = set()
        self._warm: set[WarmUp] = set()
        self._used = 0.0
        self._alarm: Alarm | None = None
        self._closed = False

    @property
    def processes(self) -> int:
        return len(self._all)

    @property
    def waiting(self) -> int:
        """How many tasks wait for a process."""
        return len(self._queue)

    def ask_question(self, task: Task, asker: Asker = ()) -> "Future[Thought | None]":
        """Return the answer, which is None where there will be none; cancelling it makes room in the queue.

        Args:
            task: The question.
            asker: The groups that ask, from the widest to the narrowest; of the same length for all tasks of a pool.
        """
        return self._queue_job(task, asker)

    def run_work(self, work: Work, asker: Asker = ()) -> "Future[Any]":
        """Return the result of other work, None where it is not done; else as `ask_question`."""
        return self._queue_job(work, asker)

    def warm_up(self, game: str, level: str, asker: Asker = ()) -> None:
        """Start a process and compile the kernel of a level, if that has not been done: its first question is near."""
        order = WarmUp(game, level)
        with self._lock:
            known = order in self._warm
            self._warm.add(order)
        if not known:
            self._queue_job(order, asker)

    def end_idle(self) -> None:
        """End the processes that have nothing to do."""
        with self._lock:
            idle, self._free = self._free, []
            self._all.difference_update(idle)
            if not self._all:
                self._warm.clear()
        for process in idle:
            process.end_process()

    def close(self) -> None:
        """End all processes; tasks that they have not answered get no answer."""
        with self._lock:
            self._closed = True
            ending = set(self._all)
            if self._alarm is not None:
                self._alarm.cancel()
        # Before the threads are waited for: each of them reads from its process until that ends.
        for process in ending:
            process.end_process()
        self._threads.join_threads()
        self.end_idle()

    def _queue_job(self, request: Task | WarmUp | Work, asker: Asker) -> "Future[Any]":
        job = _Job(request, Future())
        with self._lock:
            if self._closed or not self._restart_delay.is_over:
                refused: Iterable[_Job] = [job]
            else:
                refused = self._queue.put_item(asker, job)
                # The thread does not begin with this job: by the time it is free it may be another asker's turn.
                self._threads.submit_work(self._work_through_queue)
        # Without the lock, which the callbacks of an answer may take.
        _refuse_jobs(refused)
        job.answer.add_done_callback(partial(self._forget_cancelled, job, asker))
        return job.answer

    def _forget_cancelled(self, job: _Job, asker: Asker, answer: "Future[Any]") -> None:
        if answer.cancelled():
            with self._lock:
                self._queue.remove_item(asker, job)

    def _work_through_queue(self) -> None:
        """Answer the job whose turn it is; there may be none left if jobs were cancelled or refused."""
        with self._lock:
            job = self._queue.take_item()
        if job is not None and job.answer.set_running_or_notify_cancel():
            answer = None
            try:
                answer = self._answer_request(job.request)
            finally:
                job.answer.set_result(answer)  # whatever fails here, somebody waits for it

    def _answer_request(self, request: Task | WarmUp | Work) -> object:
        process: Process | None = None
        try:
            process = self._take_process()
            seconds = min(_seconds_of(request) + self._hanging_seconds, self._most_seconds)
            alarm = self._clock.call_later(seconds, process.end_process)
            try:
                thought = process.answer_request(request)
            finally:
                alarm.cancel()
        except Exception as error:  # noqa: BLE001 - whatever a bot asks, the next bot gets its answers
            self._note_failure(process, error)
            return None
        self._give_back(process)
        return thought

    def _take_process(self) -> Process:
        """Take a free process, or start one. Raises OSError if none may be started or the pool is closed."""
        with self._lock:
            if self._free and not self._closed:
                return self._free.pop()
            if not self._restart_delay.is_over:
                raise OSError("processes have failed lately")
        process = self._start()  # without the lock, which callers on an event loop wait for
        with self._lock:
            if not self._closed:
                self._all.add(process)
                return process
        process.end_process()
        raise OSError("the pool is closed")

    def _note_failure(self, process: Process | None, error: Exception) -> None:
        with self._lock:
            if not self._closed and self._restart_delay.is_over:
                _log.warning("a thinking process failed: %s", str(error) or type(error).__name__)
                self._restart_delay.note_failure()
            # It is not known which process had compiled which level, so that every level is warmed up again.
            self._warm.clear()
            if process is not None:
                self._all.discard(process)
        if process is not None:
            process.end_process()

    def _give_back(self, process: Process) -> None:
        with self._lock:
            self._restart_delay.note_success()
            self._free.append(process)
            self._used = self._clock.seconds()
            if self._alarm is None and not self._closed:
                self._alarm = self._clock.call_later(self._idle_seconds, self._check_idle)

    def _check_idle(self) -> None:
        with self._lock:
            self._alarm = None
            # Answers only note their time; one alarm for many is cheaper than one that is set again by each.
            left = self._used + self._idle_seconds - self._clock.seconds()
            if left > 0 and self._all and not self._closed:
                self._alarm = self._clock.call_later(left, self._check_idle)
                return
        self.end_idle()


def _seconds_of(request: Task | WarmUp | Work) -> float:
    return 0.0 if isinstance(request, WarmUp) else request.seconds


def _refuse_jobs(jobs: Iterable[_Job]) -> None:
    """Give no answer to jobs; their callers are notified without the lock."""
    for job in jobs:
        if job.answer.set_running_or_notify_cancel():
            job.answer.set_result(None)
