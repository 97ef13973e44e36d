"""Reads that many ask for and that are made once a second at most."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from scoville_runtime.clock import Clock
from scoville_server.background.eventual import finish_anyway

READ_EVERY_SECONDS: Final = 1.0
"""Seconds between two reads, however often users cause one."""


class SharedReads:
    """Reads of one thing for all who ask; each read is for those who asked before it began."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = -READ_EVERY_SECONDS
        self._next: asyncio.Task[None] | None = None

    async def share_read(self, read: Callable[[], Awaitable[None]]) -> None:
        """Wait for the next read, which begins at once or within READ_EVERY_SECONDS. Raises as `read` does."""
        if self._next is None:
            self._next = asyncio.get_running_loop().create_task(self._read_in_turn(read))
        # A user who leaves takes the read from nobody else.
        await finish_anyway(self._next)

    async def _read_in_turn(self, read: Callable[[], Awaitable[None]]) -> None:
        await self._clock.sleep(max(0.0, self._began + READ_EVERY_SECONDS - self._clock.seconds()))
        # Who asks from now on may know what this read does not find yet.
        self._began, self._next = self._clock.seconds(), None
        await read()
