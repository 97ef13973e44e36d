"""Clock of the client: time, waits, callbacks, time limits and randomness; tests inject their own.

The only module of the client that reads the time or asks the event loop for it; `tests/architecture` checks this.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from random import random
from threading import Timer
from time import monotonic
from typing import NamedTuple, Protocol


class Handle(Protocol):
    """A callback that is scheduled."""

    def cancel(self) -> None:
        """Cancel the callback."""


def _call_later(seconds: float, callback: Callable[[], object]) -> Handle:
    return asyncio.get_running_loop().call_later(seconds, callback)


class Clock(NamedTuple):
    """Time and randomness as functions.

    Attributes:
        sleep: Waits for seconds.
        chance: Returns a random number from 0 to 1.
        now: Returns monotonic seconds.
        call_later: Calls a function after some seconds, unless its handle is cancelled before.
    """

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random
    now: Callable[[], float] = monotonic
    call_later: Callable[[float, Callable[[], object]], Handle] = _call_later

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
