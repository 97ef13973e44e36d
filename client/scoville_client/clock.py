"""Clock of the client: time, waits, callbacks, time limits and randomness; tests inject their own.

The only module of the client that reads the time or asks the event loop for it; `tests/architecture` checks this.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import Context, copy_context
from random import random
from threading import Timer
from time import monotonic, thread_time
from typing import Final, NamedTuple, Protocol


class Handle(Protocol):
    """A callback that is scheduled."""

    def cancel(self) -> None:
        """Cancel the callback."""


class _Alarm:
    """A callback on the event loop, called in the context in which it was scheduled.

    A handle of asyncio keeps its context, with everything in it, until its time also when it is cancelled: an app that
    has ended would stay for an hour because of its last time limit.
    """

    __slots__ = ("_callback", "_context", "_handle")

    def __init__(self, seconds: float, callback: Callable[[], object]) -> None:
        self._context: Context | None = copy_context()
        self._callback: Callable[[], object] | None = callback
        self._handle = asyncio.get_running_loop().call_later(seconds, self._call_back, context=_EMPTY)

    def cancel(self) -> None:
        """Cancel the callback."""
        self._handle.cancel()
        self._callback = self._context = None

    def _call_back(self) -> None:
        callback, context = self._callback, self._context
        self._callback = self._context = None
        if callback is not None and context is not None:
            context.run(callback)


_EMPTY: Final = Context()


class Clock(NamedTuple):
    """Time and randomness as functions.

    Attributes:
        sleep: Waits for seconds.
        chance: Returns a random number from 0 to 1.
        now: Returns monotonic seconds.
        call_later: Calls a function after some seconds, unless its handle is cancelled before.
        cpu: Returns the processor time that this thread has used, in seconds. A thread that the system has suspended
            uses none.
    """

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random
    now: Callable[[], float] = monotonic
    call_later: Callable[[float, Callable[[], object]], Handle] = _Alarm
    cpu: Callable[[], float] = thread_time

    @asynccontextmanager
    async def limit(self, seconds: float) -> AsyncIterator[None]:
        """Cancel the body after some seconds. Raises TimeoutError then."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(None) as limit:
            handle = self.call_later(seconds, lambda: limit.reschedule(loop.time()))
            try:
                yield
            finally:
                handle.cancel()


REAL = Clock()
"""The computer's own time and randomness."""


def call_in_thread(seconds: float, callback: Callable[[], object]) -> None:
    """Call a function after some seconds in a thread of its own, even if the event loop hangs by then."""
    timer = Timer(seconds, callback)
    timer.daemon = True
    timer.start()
