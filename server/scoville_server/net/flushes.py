"""Writes that are due at the end of a turn of the event loop, by one call for all connections."""

import asyncio
from collections import deque
from collections.abc import Callable

Flush = Callable[[], object]


class FlushQueue:
    """Flushes that run in the next turn of the loop, in the order in which they were asked for.

    A commit with five moves writes to fifteen connections; a call of the loop for each would cost as much as a move.
    """

    def __init__(self) -> None:
        self._due: deque[Flush] = deque()

    def add(self, loop: asyncio.AbstractEventLoop, flush: Flush) -> None:
        """Call `flush` in the next turn of `loop`."""
        if not self._due:
            loop.call_soon(self._run, loop)
        self._due.append(flush)

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        """Call all that are due by now; those that are added meanwhile come in a later turn, as after a failure."""
        due, self._due = self._due, deque()
        try:
            while due:
                due.popleft()()
        finally:
            for flush in due:
                self.add(loop, flush)
