"""Virtual time for several processes: each has an event loop of its own, and channels with delays lead between them.

A process that is killed is never run again, and one that hangs runs later: no code of a server knows of either.
"""

import asyncio
import heapq
import itertools
import logging
import math
import secrets
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, Literal

from scoville_runtime.clock import Clock
from tests.support.virtual_time import NOON_MS

Deliver = Callable[[], object]

MOST_TURNS = 20_000
"""Turns of one loop in one moment: more are work that never ends."""

_NO_TIME = 1e-9
"""Seconds that are due now: the loop itself rounds as much."""


class ProcessLoop(asyncio.SelectorEventLoop):
    """The event loop of one process; its time is that of the world."""

    def __init__(self, process: "Process") -> None:
        self._process = process
        super().__init__()

    def time(self) -> float:
        return self._process.world.now

    def run_until_idle(self) -> float:
        """Run until nothing is left to do at this moment; returns when the next timer is due.

        These are the turns of asyncio's own loop, in its order, without its looks at sockets, of which there are none:
        with them half of the time of a run went by between callbacks.
        """
        inside: Any = self
        ready, timers = inside._ready, inside._scheduled
        turns = 0
        asyncio._set_running_loop(self)
        try:
            while True:
                due = self.time() + _NO_TIME
                while timers and (timers[0]._cancelled or timers[0]._when < due):
                    timer = heapq.heappop(timers)
                    timer._scheduled = False
                    if not timer._cancelled:
                        ready.append(timer)
                if not ready:
                    return timers[0]._when if timers else math.inf
                turns += 1
                assert turns < MOST_TURNS, f"{self._process.name} works for ever at second {self._process.world.now}"
                for _ in range(len(ready)):
                    handle = ready.popleft()
                    if not handle._cancelled:
                        handle._run()
        finally:
            asyncio._set_running_loop(None)

    def run_in_executor(self, _executor: Any, work: Callable[..., Any], *arguments: Any) -> "asyncio.Future[Any]":
        """Do the work of a thread here and now: time must not pass while another thread works."""
        done: asyncio.Future[Any] = self.create_future()
        try:
            done.set_result(work(*arguments))
        except Exception as error:  # noqa: BLE001 - the caller who waits gets it
            done.set_exception(error)
        return done


class Process:
    """One process of the world: `running`, `hung` until it wakes, or `dead`.

    `skew_ms` is how far its wall clock is ahead of the world's; its monotonic clock is right.
    """

    def __init__(self, world: "World", name: str, skew_ms: int = 0) -> None:
        self.world = world
        self.name = name
        self.skew_ms = skew_ms
        self.state: Literal["running", "hung", "dead"] = "running"
        self.wakes_at = math.inf
        self.loop = ProcessLoop(self)
        self.loop.set_exception_handler(self._note_fault)
        self.on_death: list[Deliver] = []
        world.processes.append(self)

    @property
    def clock(self) -> Clock:
        return Clock(
            lambda: NOON_MS + self.skew_ms + int(self.world.now * 1000),
            self.loop.time,
            chance=self.world.chance.random,
        )

    def run_soon(self, work: Deliver) -> None:
        """Call something in this process, as soon as it runs."""
        if self.state != "dead":
            self.loop.call_soon(work)
            self.wakes_at = self.world.now

    def start_task(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Begin some work; a process that ends before never makes its coroutine."""
        self.run_soon(lambda: self.loop.create_task(work()))

    def hang(self) -> None:
        if self.state == "running":
            self.state = "hung"

    def wake(self) -> None:
        if self.state == "hung":
            self.state = "running"

    def kill(self) -> None:
        if self.state != "dead":
            self.state = "dead"
            for tell in self.on_death:
                tell()

    def run_until_idle(self) -> None:
        self.wakes_at = self.loop.run_until_idle()

    def close(self) -> None:
        """Free what the process has; the world's channels lead nowhere any more."""
        self.state = "dead"
        # A process that is gone logs nothing of what it would have gone on with.
        logging.disable()
        try:
            # What waited for a process that hung begins only now, and is ended as well.
            while tasks := asyncio.all_tasks(self.loop):
                for task in tasks:
                    task.cancel()
                self.run_until_idle()
        finally:
            logging.disable(logging.NOTSET)
        self.loop.close()

    def _note_fault(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if self.state != "dead":
            self.world.faults.append(f"{self.name}: {context.get('exception') or context.get('message')!r}")


class Channel:
    """Carries messages from one place to another, in order. A cut one keeps them until it is mended, as TCP does."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._last = 0.0
        self._cut = False
        self._held: deque[Deliver] = deque()
        self.extra_delay = 0.0

    @property
    def is_cut(self) -> bool:
        return self._cut

    def send(self, deliver: Deliver) -> None:
        if self._cut:
            self._held.append(deliver)
            return
        delay = self._world.chance.uniform(0.0002, 0.002) + self.extra_delay
        self._last = max(self._last, self._world.now + delay)
        self._world.call_at(self._last, deliver)

    def cut(self) -> None:
        self._cut = True

    def mend(self) -> None:
        self._cut = False
        while self._held:
            self.send(self._held.popleft())


class World:
    """Time, chance and processes; `faults` are failures of the servers' own code, which no run may have."""

    def __init__(self, seed: int) -> None:
        self.now = 0.0
        self.chance = Random(seed)
        self.processes: list[Process] = []
        self.faults: list[str] = []
        self._due: list[tuple[float, int, Deliver]] = []
        self._numbers = itertools.count()

    def call_at(self, at: float, work: Deliver) -> None:
        heapq.heappush(self._due, (max(at, self.now), next(self._numbers), work))

    def call_later(self, seconds: float, work: Deliver) -> None:
        self.call_at(self.now + seconds, work)

    def run_until(self, end: float, is_over: Callable[[], bool] = lambda: False) -> None:
        """Let time pass until `end`, or until `is_over`."""
        while not is_over():
            nearest = min(self._run_processes(), self._due[0][0] if self._due else math.inf)
            if nearest > end:
                self.now = end
                return
            self.now = max(self.now, nearest)
            while self._due and self._due[0][0] <= self.now:
                heapq.heappop(self._due)[2]()

    def close(self) -> None:
        for process in self.processes:
            process.close()

    @contextmanager
    def repeatable_chance(self) -> Iterator[None]:
        """Draw codes, identities and deals from the world's seed, so that a run can be repeated."""
        drawn = Random(self.chance.random())
        before = secrets.token_bytes, secrets.choice, secrets.randbelow
        secrets.token_bytes = lambda nbytes=None: drawn.randbytes(nbytes or 32)
        secrets.choice, secrets.randbelow = drawn.choice, drawn.randrange  # type: ignore[assignment]
        try:
            yield
        finally:
            secrets.token_bytes, secrets.choice, secrets.randbelow = before

    def _run_processes(self) -> float:
        """Run the processes that have something to do now, until none has; returns when the next one has."""
        while True:
            ready, nearest = [], math.inf
            for process in self.processes:
                if process.state == "running":
                    if process.wakes_at <= self.now:
                        ready.append(process)
                    else:
                        nearest = min(nearest, process.wakes_at)
            if not ready:
                return nearest
            if len(ready) > 1:
                # Chance decides who is first: no process may depend on it.
                self.chance.shuffle(ready)
            for process in ready:
                if process.state == "running":
                    process.run_until_idle()
