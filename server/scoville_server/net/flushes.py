"""Writes that are due at the end of a turn of the event loop, and notices to a crowd: a portion in each turn.

Two thousand users may watch the lobby. To write to all of them in one turn would hold up everybody for 20 ms, with TLS
for twice as long.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Final, TypeVar

T = TypeVar("T")

Flush = Callable[[], int]
"""Writes the due bytes of one connection; returns how many bytes that were."""

MOST_FLUSHES: Final = 100
"""Flushes in one turn, of some 10 µs each."""
MOST_BYTES: Final = 256 * 1024
"""Bytes in one turn, after which the other flushes wait for the next one."""
PORTION: Final = 32
"""Recipients of a crowd in one turn; each of them has a flush in the next one."""


async def in_portions(things: Iterable[T]) -> AsyncIterator[T]:
    """Yield many things, a portion in each turn of the loop."""
    for number, thing in enumerate(things, 1):
        yield thing
        if number % PORTION == 0:
            await asyncio.sleep(0)


class FlushQueue:
    """Flushes that run in the next turns of the loop, in the order in which they were asked for.

    A commit with five moves writes to fifteen connections; a call of the loop for each would cost as much as a move.
    """

    def __init__(self) -> None:
        self._due: deque[Flush] = deque()
        self._crowds: deque[Iterator[object]] = deque()
        self._is_called = False

    @property
    def has_crowds(self) -> bool:
        """Whether notices to a crowd are not all queued yet."""
        return bool(self._crowds)

    def add_flush(self, loop: asyncio.AbstractEventLoop, flush: Flush) -> None:
        """Call `flush` in the next turn of `loop`, or a later one when many are due."""
        self._due.append(flush)
        self._call_soon(loop)

    def spread_notices(self, recipients: Iterable[T], send: Callable[[T], object]) -> None:
        """Call `send` for each recipient: the first ones now, further portions in later turns, behind earlier crowds.

        A portion waits until the former one is written: notices to two thousand connections are not all in memory.
        """
        self._crowds.append(map(send, recipients))
        # Only for the first crowd; later ones follow when it is done.
        if len(self._crowds) == 1:
            self._send_portion(asyncio.get_running_loop)

    def flush_all(self) -> None:
        """Queue all notices and write everything at once, before the end of this process."""
        while self._due or self._crowds:
            while self._due:
                self._due.popleft()()
            self._send_portion(asyncio.get_running_loop)

    def _call_soon(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._is_called:
            self._is_called = True
            loop.call_soon(self._run_flushes, loop)

    def _run_flushes(self, loop: asyncio.AbstractEventLoop) -> None:
        """Do the flushes that are due by now, up to the bounds; what is added meanwhile comes in a later turn."""
        self._is_called = False
        # Taken once: bytes that a flush adds wait for the next turn, or a chain of them would hold up the loop.
        left, size = min(len(self._due), MOST_FLUSHES), 0
        try:
            while left and size < MOST_BYTES:
                left -= 1
                size += self._due.popleft()()
        # Also after a flush that failed: the queue must not stand still for its sake.
        finally:
            if self._due:
                self._call_soon(loop)
            else:
                self._send_portion(lambda: loop)

    def _send_portion(self, loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
        """Queue notices to the next recipients of a crowd."""
        left = PORTION
        while self._crowds and left:
            for _ in self._crowds[0]:
                left -= 1
                if not left:
                    break
            else:
                self._crowds.popleft()
        if self._crowds:
            self._call_soon(loop())
