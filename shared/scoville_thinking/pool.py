"""Process pool that answers the questions of searching bots, for event loops and other callers that must not block.

A process starts when it is first needed and ends when it has been idle for long. Where the pool is too busy or a
process fails there is no answer, and the caller plays the first move of the question, that of a rule of thumb.
"""

import pickle
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Lock, Timer
from typing import Final

from scoville_shared.bots.search import Thought
from scoville_thinking.messages import Task, receive, send

COMMAND: Final = (sys.executable, "-m", "scoville_thinking.worker")
IDLE_SECONDS: Final = 300.0
WAITING_EACH: Final = 8
"""Tasks per process that wait or run; with 200 ms each the last one waits for less than two seconds."""


class Process:
    """One worker process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def answer(self, task: Task) -> Thought:
        """Send a task and wait for its answer. Raises OSError and EOFError if the process has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        send(self._process.stdin, task)
        thought = receive(self._process.stdout)
        assert isinstance(thought, Thought), "a worker answers with thoughts"
        return thought

    def end(self) -> None:
        """End the process, even in the middle of a task."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


class Pool:
    """Answers tasks in `workers` processes, for callers in any thread.

    Args:
        workers: Most processes at a time.
        idle_seconds: Seconds without a task after which the processes end.
    """

    def __init__(self, workers: int = 1, *, idle_seconds: float = IDLE_SECONDS) -> None:
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="thinking")
        self._most = workers * WAITING_EACH
        self._idle_seconds = idle_seconds
        self._lock = Lock()
        self._pending = 0
        self._free: list[Process] = []
        self._all: set[Process] = set()
        self._timer: Timer | None = None
        self._closed = False

    @property
    def processes(self) -> int:
        """How many processes there are."""
        return len(self._all)

    def ask(self, task: Task) -> "Future[Thought | None]":
        """Return the answer, which is None where there will be none."""
        with self._lock:
            if self._closed or self._pending >= self._most:
                none: Future[Thought | None] = Future()
                none.set_result(None)
                return none
            self._pending += 1
            return self._threads.submit(self._answer, task)

    def end_idle(self) -> None:
        """End the processes that have nothing to do."""
        with self._lock:
            idle, self._free = self._free, []
            self._all.difference_update(idle)
        for process in idle:
            process.end()

    def close(self) -> None:
        """End all processes; tasks that they have not answered get no answer."""
        with self._lock:
            self._closed = True
            ending = set(self._all)
            if self._timer is not None:
                self._timer.cancel()
        for process in ending:
            process.end()
        self._threads.shutdown(wait=True)
        self.end_idle()

    def _answer(self, task: Task) -> Thought | None:
        process: Process | None = None
        try:
            process = self._taken()
            thought = process.answer(task)
        except (OSError, EOFError, pickle.PickleError):
            thought = None
            if process is not None:
                with self._lock:
                    self._all.discard(process)
                process.end()
        else:
            self._give_back(process)
        finally:
            with self._lock:
                self._pending -= 1
        return thought

    def _taken(self) -> Process:
        """Take a free process, or start one. Raises OSError if none can be started or the pool is closed."""
        with self._lock:
            process = self._free.pop() if self._free and not self._closed else None
        if process is None:
            process = Process()  # without the lock, which callers on an event loop wait for
        with self._lock:
            if not self._closed:
                self._all.add(process)
                return process
        process.end()
        raise OSError("the pool is closed")

    def _give_back(self, process: Process) -> None:
        with self._lock:
            self._free.append(process)
            if self._timer is not None:
                self._timer.cancel()
            if not self._closed:
                self._timer = Timer(self._idle_seconds, self.end_idle)
                self._timer.daemon = True
                self._timer.start()
