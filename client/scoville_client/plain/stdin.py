"""Lines that are typed or piped in, without stopping the event loop."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import TextIO

try:
    import termios
except ImportError:  # no such terminals here: what is typed is seen
    _CAN_HIDE = False
else:
    _CAN_HIDE = True

_LOCAL_MODES = 3
"""Where the flags of echoing stand among a terminal's attributes."""


class LineReader:
    """The lines of `source`, one at a time.

    A thread reads them: files, pipes and terminals can all be waited for in one, and the process may end meanwhile.
    """

    def __init__(self, source: TextIO) -> None:
        self._source = source
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._ended = False
        self._loop = asyncio.get_running_loop()
        Thread(target=self._read, name="typed lines", daemon=True).start()

    @property
    def hides(self) -> bool:
        """Whether a secret is typed unseen here: at a terminal."""
        return _CAN_HIDE and self._source.isatty()

    async def next(self) -> str | None:
        """Wait for the next line, without its end; None when there are no more, however often it is asked."""
        line = None if self._ended else await self._lines.get()
        self._ended = line is None
        return line

    async def secret(self) -> str | None:
        """Wait for the next line; a terminal does not show it."""
        if not self.hides:
            return await self.next()
        with unseen(self._source):
            return await self.next()

    def end(self) -> None:
        """Let whoever waits know that no more lines are wanted."""
        self._lines.put_nowait(None)

    def _read(self) -> None:
        with suppress(OSError):  # a terminal that has hung up
            for line in self._source:
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
    """Show nothing of what is typed meanwhile.

    A thread reads the terminal already, so that getpass, which reads by itself, would come second.
    """
    handle = terminal.fileno()
    before = termios.tcgetattr(handle)
    silent = [*before]
    silent[_LOCAL_MODES] &= ~termios.ECHO
    termios.tcsetattr(handle, termios.TCSADRAIN, silent)
    try:
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
