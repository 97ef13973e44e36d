"""Measurement of callbacks that block the event loop for too long."""

import asyncio
import gc
import time
from types import TracebackType
from typing import Any, NamedTuple


class Stop(NamedTuple):
    """The time of a callback: CPU seconds, wall seconds, and its name."""

    cpu: float
    wall: float
    what: str


class Watchdog:
    """Measures all callbacks of this process's event loops while it is entered.

    What counts is CPU time: a busy machine makes nothing slower by it. No garbage is searched for meanwhile, because
    a process that fuzzes has more of it than a server.
    """

    def __init__(self) -> None:
        self.worst = self.longest = Stop(0.0, 0.0, "")

    def __enter__(self) -> "Watchdog":
        self._run = asyncio.Handle._run
        gc.disable()
        run, note = self._run, self._note

        def timed(handle: asyncio.Handle) -> None:
            cpu, wall = time.thread_time(), time.perf_counter()
            run(handle)
            note(time.thread_time() - cpu, time.perf_counter() - wall, handle)

        asyncio.Handle._run = timed  # type: ignore[method-assign]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.Handle._run = self._run  # type: ignore[method-assign]
        gc.enable()

    def _note(self, cpu: float, wall: float, handle: Any) -> None:
        if cpu > self.worst.cpu or wall > self.longest.wall:
            stop = Stop(cpu, wall, repr(handle._callback)[:300])
            self.worst = max(self.worst, stop)
            self.longest = max(self.longest, stop, key=lambda stop: stop.wall)
