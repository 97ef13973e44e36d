"""Clock of the client: the time, waits, callbacks, time limits, and chance. Tests give one that they move on.

The only module of the client that reads the time or asks the event loop for some; `tests/architecture` checks it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from random import random
from time import monotonic
from typing import NamedTuple, Protocol


class Handle(Protocol):
    """A callback that is still to come."""

    def cancel(self) -> None:
        """Never call it."""


def _call_later(seconds: float, callback: Callable[[], object]) -> Handle:
    return asyncio.get_running_loop().call_later(seconds, callback)


class Clock(NamedTuple):
    """Time and chance, as functions.

    `sleep` waits for seconds, `chance` draws from 0 to 1, `now` is the time in seconds (monotonic), and `call_later`
    calls a function after some seconds, unless its handle is cancelled before.
    """

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random
    now: Callable[[], float] = monotonic
    call_later: Callable[[float, Callable[[], object]], Handle] = _call_later

    @asynccontextmanager
    async def limit(self, seconds: float) -> AsyncIterator[None]:
        """Cancel what runs inside after some seconds. Raises TimeoutError then."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(None) as limit:
            handle = self.call_later(seconds, lambda: limit.reschedule(loop.time()))
            try:
                yield
            finally:
                handle.cancel()


REAL = Clock()
"""The computer's own time and chance."""
