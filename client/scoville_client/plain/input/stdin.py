"""Typed or piped lines, read without blocking the event loop."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Semaphore, Thread
from typing import Any, TextIO

try:
    import termios
except ImportError:  # no such terminals here: the input is seen
    _CAN_HIDE = False
else:
    _CAN_HIDE = True

QUIT = "quit"
"""The command that goes before everything that waits."""

LINES_AHEAD = 1000
"""Lines buffered at most; further ones wait in the pipe."""

_LOCAL_MODES = 3
"""Index of the local flags, such as ECHO, in a terminal's attributes."""


class TypedLines(ABC):
    """Lines in the order in which a user types them or a pipe brings them, until `end`."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._ended = False
        self._readers = 0
        self._quit_typed = asyncio.Event()

    @property
    @abstractmethod
    def is_terminal(self) -> bool:
        """Whether a user types on a terminal, and the lines come from no pipe or file."""

    @property
    @abstractmethod
    def hides(self) -> bool:
        """Whether the terminal can hide what is typed."""

    @abstractmethod
    async def read_secret(self) -> str | None:
        """Return the next line like `read_next`, hidden while it is typed at a terminal."""

    async def read_next(self) -> str | None:
        """Return the next line without its line break, or None at the end of the input, also on later calls."""
        self._readers += 1
        try:
            line = None if self._ended else await self._lines.get()
        finally:
            self._readers -= 1
        self._ended = line is None
        self.make_room()
        return line

    async def quit_typed(self) -> None:
        """Wait until `quit` is typed at a terminal while nothing waits for a line.

        A pipe's lines are obeyed one after the other, and an answer to a question may be that word.
        """
        await self._quit_typed.wait()
        self._quit_typed.clear()

    def end(self) -> None:
        """End the input: the waiting call of `read_next` returns None."""
        self.add_line(None)

    def add_line(self, line: str | None) -> None:
        """Add a line behind the others, None for the end; `quit` goes before those that wait."""
        # Not while a line is waited for: the word may be the answer to a question.
        if line is not None and line.strip().casefold() == QUIT and not self._readers and self.is_terminal:
            while not self._lines.empty():
                self._lines.get_nowait()
                self.make_room()
            self._quit_typed.set()
        self._lines.put_nowait(line)

    def make_room(self) -> None:  # noqa: B027 - only a reader with a bound needs it
        """Note that a line has been taken."""


class LineReader(TypedLines):
    """Reads `source` line by line in a thread, so that the event loop never blocks on a file, pipe or terminal.

    At most `LINES_AHEAD` lines are buffered. The thread is a daemon: the process may end while it waits for a line.
    """

    def __init__(self, source: TextIO) -> None:
        super().__init__()
        self._source = source
        self._room = Semaphore(LINES_AHEAD)
        self._loop = asyncio.get_running_loop()
        Thread(target=self._read, name="typed lines", daemon=True).start()

    @property
    def is_terminal(self) -> bool:
        return self._source.isatty()

    @property
    def hides(self) -> bool:
        return _CAN_HIDE and self.is_terminal

    async def read_secret(self) -> str | None:
        if not self.hides:
            return await self.read_next()
        with hide_typing(self._source):
            return await self.read_next()

    def make_room(self) -> None:
        self._room.release()

    def _read(self) -> None:
        with suppress(OSError):  # a terminal that has hung up
            for line in self._source:
                # A large file is read no faster than it is obeyed, so that it never fills the memory.
                self._room.acquire()
                if not self._hand_over(line.rstrip("\r\n")):
                    return
        self._hand_over(None)

    def _hand_over(self, line: str | None) -> bool:
        try:
            self._loop.call_soon_threadsafe(self.add_line, line)
        except RuntimeError:  # the loop is closed, and with it the task that waited
            return False
        return True


@contextmanager
def hide_typing(terminal: TextIO) -> Iterator[None]:
    """Hide what is typed in this context.

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
            # The terminal may have been closed meanwhile.
            with suppress(termios.error):
                termios.tcsetattr(handle, termios.TCSADRAIN, before)
