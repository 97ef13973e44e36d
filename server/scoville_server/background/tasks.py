"""Background tasks: writes that nobody waits for, repeated with back-off, hourly chores, and the wait for their end."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from msgspec import Struct

from scoville_runtime.back_off import BackOff
from scoville_runtime.clock import SYSTEM, Alarm, Clock
from scoville_server.background.eventual import finish_anyway
from scoville_server.errors import RetryableError
from scoville_shared.errors import ScovilleError


class RetryLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Waits before the server repeats a write that the disk has refused."""

    first_seconds: float = 1.0
    """The wait after the first failure: a disk that was busy for a moment delays nobody for longer."""
    longest_seconds: float = 60.0
    """Each failure in a row doubles the wait up to this. A full disk is not written every second, and a minute after
    there is space again everything continues."""


def retry_delay(chance: Callable[[], float], limits: RetryLimits | None = None) -> BackOff:
    """Return the waits between retries, shortened at random by up to a quarter: a thousand tables may fail at once."""
    limits = limits or RetryLimits()
    return BackOff(limits.first_seconds, limits.longest_seconds, chance, 0.25)


_log = logging.getLogger(__name__)

T = TypeVar("T")


Tidy = Callable[[], Coroutine[Any, Any, None]]
"""Deletes something, or tidies up otherwise. May raise JournalError."""

MOST_REPEATED = 4_096
"""Most writes that wait for a retry: more than there are tables. Further ones are tried once."""


class BackgroundTasks:
    """Running tasks. The server does not close before they are done; retries are given up then."""

    def __init__(self, clock: Clock = SYSTEM, retries: RetryLimits | None = None) -> None:
        self._clock = clock
        self._retries = retries
        self._under_way: set[asyncio.Future[Any]] = set()
        self._repeated = 0
        self._planned: list[Tidy] = []
        self._closing = asyncio.Event()
        self._is_closed = False

    def start_task(self, chore: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(chore)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    @contextmanager
    def stay_open(self) -> Iterator[None]:
        """Let the server wait for this block before it closes: no task, which would begin a turn later."""
        done = asyncio.get_running_loop().create_future()
        self._under_way.add(done)
        try:
            yield
        finally:
            self._under_way.discard(done)
            done.set_result(None)

    async def shield_task(self, work: Awaitable[T]) -> T:
        """Return the result of a task that continues when its caller is cancelled."""
        return await finish_anyway(work)

    def write_soon(self, write: Coroutine[Any, Any, None]) -> asyncio.Task[None] | None:
        """Write something that can wait; if the journal refuses, its contents are older, but not wrong.

        Returns the task, None if everything is closed.
        """
        if self._is_closed:
            # Connections that end last would leave a task behind that nobody waits for, and the journal is closed.
            write.close()
            return None
        return self.start_task(_write_if_possible(write))

    # Decision 038: reading an earlier run's rows changes nothing, since another node may be serving it.
    def plan_tidying(self, tidy: Tidy) -> None:
        """Plan the deletion of outdated data for the time when this node serves."""
        self._planned.append(tidy)

    def begin_tidying(self) -> None:
        """Begin all deletions that are planned: this node serves from now on."""
        planned, self._planned = self._planned, []
        for tidy in planned:
            self.write_soon(tidy())

    def new_back_off(self) -> BackOff:
        """Return the waits between attempts at one thing that the disk may refuse."""
        return retry_delay(self._clock.chance, self._retries)

    def insist_on_write(self, write: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Repeat a write with back-off until the journal takes it: nothing else would write it again.

        The next start makes up for what the server could not write before it closed.
        """
        if not self._is_closed and self._repeated < MOST_REPEATED:
            self.start_task(self._repeat_write(write, self.new_back_off()))
        else:
            self.write_soon(write())

    def stop_retrying(self) -> None:
        """Give up all writes that wait for a retry, and those to come once they fail."""
        self._closing.set()

    async def close(self) -> None:
        """Stop all retries, and wait for the running tasks."""
        self.stop_retrying()
        await self.finish_tasks()
        self._is_closed = True

    async def _repeat_write(self, write: Callable[[], Coroutine[Any, Any, None]], delay: BackOff) -> None:
        self._repeated += 1
        try:
            while not await _try_write(write()):
                if await self.closes_within(delay.next_wait()):
                    return
        finally:
            self._repeated -= 1

    async def closes_within(self, seconds: float) -> bool:
        """Wait, and return whether the server closes within so many seconds."""
        closing = asyncio.ensure_future(self._closing.wait())
        await self._clock.wait(closing, seconds=seconds)
        closing.cancel()
        return self._closing.is_set()

    async def finish_tasks(self) -> None:
        """Wait for the running tasks; their errors belong to their callers."""
        while self._under_way:
            done, _ = await asyncio.wait(self._under_way)
            self._under_way -= done
            for task in done:
                _log_failure(task)


async def let_others_run() -> None:
    """End this turn of the event loop: between the steps of something long nobody waits for it."""
    await asyncio.sleep(0)


def _log_failure(task: asyncio.Future[Any]) -> None:
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, ScovilleError):
        _log.error("what was to be done before the end has failed", exc_info=error)


async def _write_if_possible(write: Coroutine[Any, Any, None]) -> None:
    await _try_write(write)


async def _try_write(write: Coroutine[Any, Any, None]) -> bool:
    """Write, and return whether the journal has taken it."""
    try:
        await write
    except RetryableError as error:
        _log.info("%s", error.message)
        return False
    return True


HOUR_SECONDS = 3_600.0
"""Seconds between two removals of expired tokens, which expire after days, and between looks for due digests."""


class HourlyChores:
    """Chores of each hour: the removal of expired data, and digests.

    Args:
        chores: The chores that one of several nodes does for all.
        background: Runs the chores.
        clock: The clock.
        own_chore: The chore that each other node does instead.
        is_for_all: Whether this node is that one.
    """

    def __init__(
        self,
        chores: Sequence[Tidy],
        background: BackgroundTasks,
        clock: Clock,
        own_chore: Tidy,
        is_for_all: Callable[[], bool],
    ) -> None:
        self._chores, self._own_chore, self._is_for_all = chores, own_chore, is_for_all
        self._background = background
        self._call_later = clock.call_later
        self._alarm: Alarm | None = None

    def schedule_chores(self) -> None:
        """Schedule the next time."""
        self._alarm = self._call_later(HOUR_SECONDS, self._do_chores)

    def stop_chores(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()

    def _do_chores(self) -> None:
        for chore in self._chores if self._is_for_all() else (self._own_chore,):
            self._background.write_soon(chore())
        self.schedule_chores()
