"""The source of time and chance in a server: wall time, monotonic seconds, timers, and random numbers.

No other module reads the time, sets a timer or asks for chance by itself, except for secrets; the core passes one Clock
to every service, and tests pass clocks of their own.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import random
from typing import Any, Protocol


class Alarm(Protocol):
    """A timer that has been set."""

    def cancel(self) -> None:
        """Cancel the timer; its callback is not called."""


CallLater = Callable[[float, Callable[[], Any]], Alarm]
"""Calls a function after so many seconds, on the event loop."""


def _date_ms() -> int:
    return time.time_ns() // 1_000_000


def _call_later(seconds: float, callback: Callable[[], Any]) -> Alarm:
    return asyncio.get_running_loop().call_later(seconds, callback)


class Clock:
    """Wall time, monotonic seconds, timers and random numbers.

    Args:
        date_ms: Wall time in milliseconds since 1970; jumps when the system's clock is set.
        seconds: Monotonic seconds from any start; they stop while the machine sleeps.
        call_later: Calls a function on the running event loop after so many seconds.
        chance: Returns a random number from 0 to 1.
        working_seconds: Seconds of processor time that this thread has used; `seconds` where these are not the
            system's, since no processor works for a test's time.
    """

    def __init__(
        self,
        date_ms: Callable[[], int] = _date_ms,
        seconds: Callable[[], float] = time.monotonic,
        call_later: CallLater = _call_later,
        chance: Callable[[], float] = random,
        working_seconds: Callable[[], float] | None = None,
    ) -> None:
        system = time.thread_time if seconds is time.monotonic else seconds
        self.working_seconds = working_seconds or system
        self.date_ms = date_ms
        self.seconds = seconds
        self.call_later = call_later
        self.chance = chance

    def steady(self, not_before_ms: int = 0) -> Callable[[], int]:
        """Return a clock for thinking time: the wall time now, then milliseconds that advance evenly.

        It starts at `not_before_ms` if the system's clock is behind that: a table's time never goes back.
        """
        begun = self.seconds()
        start_ms = max(self.date_ms(), not_before_ms)
        return lambda: start_ms + int((self.seconds() - begun) * 1000)

    @contextmanager
    def deadline(self, seconds: float) -> Iterator["asyncio.Future[None]"]:
        """Provide a future that is done after so many seconds, for `wait` beside others."""
        over = asyncio.get_running_loop().create_future()
        alarm = self.call_later(seconds, lambda: None if over.done() else over.set_result(None))
        try:
            yield over
        finally:
            alarm.cancel()
            over.cancel()

    async def wait(self, *futures: "asyncio.Future[Any]", seconds: float) -> None:
        """Wait until one of several futures is done, or so many seconds have passed. Cancels none of them."""
        with self.deadline(seconds) as over:
            await asyncio.wait((*futures, over), return_when=asyncio.FIRST_COMPLETED)


SYSTEM = Clock()
"""The system's own time."""
