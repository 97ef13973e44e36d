"""The source of time and chance of both ends: wall time, monotonic seconds, waits, timers, and random numbers.

No other module reads the time, sets a timer or asks for chance by itself, except for secrets (`tests/architecture`
checks this). Whatever needs a Clock receives it, and tests pass clocks of their own.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import Context, copy_context
from random import random
from threading import Timer
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:  # a process that thinks has no event loop: loading asyncio would take as long as all the rest
    import asyncio


class Alarm(Protocol):
    """A timer that has been set."""

    def cancel(self) -> None:
        """Cancel the timer; its callback is not called."""


CallLater = Callable[[float, Callable[[], object]], Alarm]
"""Calls a function after so many seconds, on the event loop."""


class Clock:
    """Wall time, monotonic seconds, waits, timers and random numbers.

    Args:
        date_ms: Wall time in milliseconds since 1970; jumps when the system's clock is set.
        seconds: Monotonic seconds from any start; they stop while the machine sleeps.
        call_later: Calls a function on the running event loop after so many seconds, unless its alarm is cancelled
            before.
        chance: Returns a random number from 0 to 1.
        working_seconds: Seconds of processor time that this thread has used, none while the system has suspended it;
            `seconds` where these are not the system's, since no processor works for a test's time.
        sleep: Waits for so many seconds.
    """

    def __init__(
        self,
        date_ms: Callable[[], int] | None = None,
        seconds: Callable[[], float] = time.monotonic,
        call_later: CallLater | None = None,
        chance: Callable[[], float] = random,
        working_seconds: Callable[[], float] | None = None,
        sleep: Callable[[float], Awaitable[None]] | None = None,
    ) -> None:
        self.date_ms = date_ms or _date_ms
        self.seconds = seconds
        self.call_later: CallLater = call_later or LoopAlarm
        self.chance = chance
        self.working_seconds = working_seconds or (time.thread_time if seconds is time.monotonic else seconds)
        self.sleep = sleep or _sleep_for

    @contextmanager
    def deadline(self, seconds: float) -> Iterator["asyncio.Future[None]"]:
        """Provide a future that is done after so many seconds, for `wait` beside others."""
        import asyncio

        # A future, and no timeout around the wait: what is waited for must not be cancelled when the time is over.
        over = asyncio.get_running_loop().create_future()
        alarm = self.call_later(seconds, lambda: None if over.done() else over.set_result(None))
        try:
            yield over
        finally:
            alarm.cancel()
            over.cancel()

    async def wait(self, *futures: "asyncio.Future[Any]", seconds: float) -> None:
        """Wait until one of several futures is done, or so many seconds have passed. Cancels none of them."""
        import asyncio

        with self.deadline(seconds) as over:
            await asyncio.wait((*futures, over), return_when=asyncio.FIRST_COMPLETED)

    @asynccontextmanager
    async def limit(self, seconds: float) -> AsyncIterator[None]:
        """Cancel the body after some seconds. Raises TimeoutError then."""
        import asyncio

        loop = asyncio.get_running_loop()
        # Without a time of its own, which would be the event loop's: the alarm is this clock's, also in tests.
        async with asyncio.timeout(None) as limit:
            alarm = self.call_later(seconds, lambda: limit.reschedule(loop.time()))
            try:
                yield
            finally:
                alarm.cancel()


class EndingClock(Clock):
    """A clock of something that ends before the process does: its alarms end with it.

    One that is still set keeps alive all that its callback would use, such as the app of a user who has left, until it
    rings: an alarm for the next day until then.

    Args:
        clock: The clock that tells the time.
    """

    def __init__(self, clock: Clock) -> None:
        set_alarms: set[_EndingAlarm] = set()
        super().__init__(
            clock.date_ms,
            clock.seconds,
            lambda seconds, callback: _EndingAlarm(clock.call_later, set_alarms, seconds, callback),
            clock.chance,
            clock.working_seconds,
            clock.sleep,
        )
        self._set_alarms = set_alarms

    def cancel_alarms(self) -> None:
        """Cancel all alarms that are set."""
        for alarm in tuple(self._set_alarms):
            alarm.cancel()


class _EndingAlarm:
    __slots__ = ("_alarm", "_callback", "_set_alarms")

    def __init__(
        self, call_later: CallLater, set_alarms: set["_EndingAlarm"], seconds: float, callback: Callable[[], object]
    ) -> None:
        self._set_alarms = set_alarms
        self._callback = callback
        set_alarms.add(self)
        self._alarm = call_later(seconds, self._call_back)

    def cancel(self) -> None:
        self._set_alarms.discard(self)
        self._alarm.cancel()

    def _call_back(self) -> None:
        self._set_alarms.discard(self)
        self._callback()


class LoopAlarm:
    """A callback on the event loop, called in the context in which it was scheduled.

    A handle of asyncio keeps its context, with everything in it, until its time also when it is cancelled: an app that
    has ended would stay for an hour because of its last time limit.
    """

    __slots__ = ("_callback", "_context", "_handle")

    def __init__(self, seconds: float, callback: Callable[[], object]) -> None:
        import asyncio

        self._context: Context | None = copy_context()
        self._callback: Callable[[], object] | None = callback
        self._handle = asyncio.get_running_loop().call_later(seconds, self._call_back, context=_EMPTY)

    def cancel(self) -> None:
        self._handle.cancel()
        self._callback = self._context = None

    def _call_back(self) -> None:
        callback, context = self._callback, self._context
        self._callback = self._context = None
        if callback is not None and context is not None:
            context.run(callback)


_EMPTY: Final = Context()


def call_in_thread(seconds: float, callback: Callable[[], object]) -> Alarm:
    """Call a function after some seconds in a thread of its own, even if the event loop hangs by then."""
    timer = Timer(seconds, callback)
    timer.daemon = True
    timer.start()
    return timer


def _date_ms() -> int:
    return time.time_ns() // 1_000_000


async def _sleep_for(seconds: float) -> None:
    import asyncio

    await asyncio.sleep(seconds)


SYSTEM: Final = Clock()
"""The system's own time and chance."""
THREADED: Final = Clock(call_later=call_in_thread)
"""The same where no event loop runs: its timers call back in threads of their own."""
