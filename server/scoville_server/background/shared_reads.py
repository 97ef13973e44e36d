"""Reads that many ask for and that are made at intervals at most."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from scoville_runtime.clock import Clock
from scoville_server.background.eventual import finish_anyway

READ_EVERY_SECONDS: Final = 1.0
"""Seconds between two reads, however often users cause one."""

T = TypeVar("T")


class SharedReads:
    """Reads of one thing for all who ask; each read is for those who asked before it began.

    Args:
        clock: The clock.
        every_seconds: Seconds between two reads, however many ask.
    """

    def __init__(self, clock: Clock, every_seconds: float = READ_EVERY_SECONDS) -> None:
        self._clock, self._every_seconds = clock, every_seconds
        self._began = -every_seconds
        self._next: asyncio.Task[Any] | None = None

    async def share_read(self, read: Callable[[], Awaitable[T]]) -> T:
        """Return the next read, which begins at once or within `every_seconds`. Raises as `read` does."""
        if self._next is None:
            self._next = asyncio.get_running_loop().create_task(self._read_in_turn(read))
        # A user who leaves takes the read from nobody else.
        shared: T = await finish_anyway(self._next)
        return shared

    async def _read_in_turn(self, read: Callable[[], Awaitable[T]]) -> T:
        await self._clock.sleep(max(0.0, self._began + self._every_seconds - self._clock.seconds()))
        # A caller who asks from now on may know what this read does not find yet.
        self._began, self._next = self._clock.seconds(), None
        return await read()
