"""The real command on a pseudo-terminal, read back by a terminal emulator."""

import os
import pty
import select
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl
from termios import TIOCSWINSZ

import pyte
import pytest

PATIENCE = 30.0
CALL = "import sys; from scoville_client.cli import main; sys.exit(main())"


class Terminal:
    """A child process on a pseudo-terminal, and what its screen shows."""

    def __init__(self, width: int, height: int, *arguments: str, **environment: str) -> None:
        self.written = b""
        self._screen = pyte.Screen(width, height)
        self._stream = pyte.ByteStream(self._screen)
        self.child, self._terminal = pty.fork()
        if self.child == 0:
            os.environ.update({"TERM": "xterm-256color", "COLUMNS": str(width), "LINES": str(height), **environment})
            os.execv(sys.executable, [sys.executable, "-c", CALL, *arguments])
        ioctl(self._terminal, TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    @property
    def text(self) -> str:
        return "\n".join(self._screen.display)

    def sees(self, words: str) -> None:
        """Read until some words are on the screen."""
        deadline = time.monotonic() + PATIENCE
        while words not in self.text:
            assert time.monotonic() < deadline, self.text
            if select.select([self._terminal], [], [], 0.1)[0]:
                self._read()

    def press(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def ends_with(self) -> int:
        """Wait for the end; returns the exit status."""
        try:
            while True:
                self._read()
        except OSError:
            return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])

    def close(self) -> None:
        os.close(self._terminal)

    def _read(self) -> None:
        data = os.read(self._terminal, 65536)
        self.written += data
        self._stream.feed(data)


@contextmanager
def scoville(width: int, height: int, *arguments: str, **environment: str) -> Iterator[Terminal]:
    terminal = Terminal(width, height, *arguments, **environment)
    try:
        yield terminal
    finally:
        terminal.close()


@pytest.mark.parametrize(("width", "height"), [(80, 24), (46, 19)])
def test_practice_opens_at_once_and_is_left_by_keys(width: int, height: int) -> None:
    with scoville(width, height, "practice", "--name", "Anna", "--seed", "00") as terminal:
        terminal.sees("Enter play")
        terminal.sees("Anna")
        terminal.press("\r")
        terminal.sees("1st action")
        terminal.press("q")
        terminal.sees("Leave this game?")
        terminal.press("y")
        assert terminal.ends_with() == 0


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [(["--ascii"], {}), ([], {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"})],
    ids=["asked for", "a locale without Unicode"],
)
def test_a_terminal_without_unicode_gets_plain_signs_only(arguments: list[str], environment: dict[str, str]) -> None:
    with scoville(80, 24, "practice", "--name", "Anna", *arguments, **environment) as terminal:
        terminal.sees("Enter play")
        terminal.sees("+----+")
        terminal.press("q")
        terminal.sees("Leave this game?")
        terminal.press("y")
        assert terminal.ends_with() == 0
        assert terminal.written.isascii()


def test_without_colour_only_greys_are_written() -> None:
    with scoville(80, 24, "practice", "--name", "Anna", NO_COLOR="1", COLORTERM="truecolor") as terminal:
        terminal.sees("Enter play")
        terminal.press("qy")
        assert terminal.ends_with() == 0
        colours = [part.split(b"m")[0].split(b";")[:3] for part in terminal.written.split(b"8;2;")[1:]]
        assert colours
        assert all(len(set(colour)) == 1 for colour in colours)
