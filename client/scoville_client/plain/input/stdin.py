"""Typed or piped lines, read without blocking the event loop."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Semaphore, Thread
from typing import Any, TextIO

try:
    import termios
except ImportError:  # no such terminals here: what is typed is seen
    _CAN_HIDE = False
else:
    _CAN_HIDE = True

LINES_AHEAD = 1000
"""Lines buffered at most; further ones wait in the pipe."""

_LOCAL_MODES = 3
"""Index of the local flags, such as ECHO, in a terminal's attributes."""


class LineReader:
    """Reads `source` line by line in a thread, so that the event loop never blocks on a file, pipe or terminal.

    At most `LINES_AHEAD` lines are buffered. The thread is a daemon: the process may end while it waits for a line.
    """

    def __init__(self, source: TextIO) -> None:
        self._source = source
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._room = Semaphore(LINES_AHEAD)
        self._ended = False
        self._loop = asyncio.get_running_loop()
        Thread(target=self._read, name="typed lines", daemon=True).start()

    @property
    def is_terminal(self) -> bool:
        """Whether stdin is a terminal and not a pipe."""
        return self._source.isatty()

    @property
    def hides(self) -> bool:
        """Whether the terminal can hide what is typed."""
        return _CAN_HIDE and self.is_terminal

    async def next(self) -> str | None:
        """Return the next line without its line break, or None at the end of the input, also on later calls."""
        line = None if self._ended else await self._lines.get()
        self._ended = line is None
        self._room.release()
        return line

    async def secret(self) -> str | None:
        """Return the next line like `next`, hidden while it is typed at a terminal."""
        if not self.hides:
            return await self.next()
        with unseen(self._source):
            return await self.next()

    def end(self) -> None:
        """End the input: the waiting call of `next` returns None."""
        self._lines.put_nowait(None)

    def _read(self) -> None:
        with suppress(OSError):  # a terminal that has hung up
            for line in self._source:
                self._room.acquire()
                if not self._hand_over(line.rstrip("\r\n")):
                    return
        self._hand_over(None)

    def _hand_over(self, line: str | None) -> bool:
        try:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:  # the loop is closed: nobody waits any more
            return False
        return True


@contextmanager
def unseen(terminal: TextIO) -> Iterator[None]:
    """Hide what is typed meanwhile.

    A thread reads the terminal already, so that getpass, which reads by itself, would come second.
    """
    handle = terminal.fileno()
    before: list[Any] = []
    with suppress(termios.error):  # it has vanished
        before = termios.tcgetattr(handle)
        silent = [*before]
        silent[_LOCAL_MODES] &= ~termios.ECHO
        termios.tcsetattr(handle, termios.TCSADRAIN, silent)
    try:
        yield
    finally:
        if before:
            with suppress(termios.error):
                termios.tcsetattr(handle, termios.TCSADRAIN, before)
