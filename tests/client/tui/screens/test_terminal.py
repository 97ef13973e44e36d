"""The real command on a pseudo-terminal, checked by a terminal emulator."""

import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ
from typing import Any

import pyte
import pytest

from tests.support.terminal_screen import TerminalScreen
from tests.support.warm_start import CLIENT
from tests.support.zygote import take_terminal

TIMEOUT = 120.0


class Terminal:
    """A child process on a pseudo-terminal, and what its screen shows."""

    def __init__(self, width: int, height: int, *arguments: str, call: str = CLIENT, **environment: str) -> None:
        self.written = b""
        self._screen = TerminalScreen(width, height)
        self._stream = pyte.ByteStream(self._screen)
        self._terminal, end = pty.openpty()
        ioctl(end, TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        around = {**os.environ, "SSH_CONNECTION": "", "SSH_CLIENT": "", "TERM": "xterm-256color", **environment}
        for name in ("COLUMNS", "LINES"):
            around.pop(name, None)
        command = [sys.executable, "-c", call, *arguments]
        self.process = subprocess.Popen(
            command,
            **dict.fromkeys(("stdin", "stdout", "stderr"), end),
            env=around,
            start_new_session=True,
            preexec_fn=take_terminal,  # noqa: PLW1509 - nothing else runs in threads here
        )
        self.child = self.process.pid
        os.close(end)

    @property
    def text(self) -> str:
        return "\n".join(self._screen.display)

    def sees(self, words: str) -> None:
        """Read until some words are on the screen."""
        self.until(lambda: words in self.text)

    def until(self, met: Callable[[], bool]) -> None:
        """Read until a condition holds."""
        deadline = time.monotonic() + TIMEOUT
        while not met():
            assert time.monotonic() < deadline, self.text
            if select.select([self._terminal], [], [], 0.1)[0]:
                self._read()

    def press(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    @property
    def modes(self) -> list[Any]:
        """Return the terminal's settings for input and output."""
        return termios.tcgetattr(self._terminal)

    def resize(self, width: int, height: int) -> None:
        self._screen.resize(height, width)
        self._screen.reset()
        ioctl(self._terminal, TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def stops(self) -> None:
        """Read until the process is suspended."""
        deadline = time.monotonic() + TIMEOUT
        while os.waitpid(self.child, os.WNOHANG | os.WUNTRACED) == (0, 0):
            assert time.monotonic() < deadline, self.text
            while select.select([self._terminal], [], [], 0.05)[0]:
                self._read()
        while select.select([self._terminal], [], [], 0.05)[0]:
            self._read()

    def ends_with(self) -> int:
        """Wait for the end; returns the exit status."""
        try:
            while select.select([self._terminal], [], [], TIMEOUT)[0]:
                self._read()
        except OSError:
            return self.process.wait()
        raise AssertionError(f"the client did not end:\n{self.text}")

    def close(self) -> None:
        os.close(self._terminal)

    def _read(self) -> None:
        data = os.read(self._terminal, 65536)
        self.written += data
        self._stream.feed(data)


@contextmanager
def scoville(width: int, height: int, *arguments: str, call: str = CLIENT, **environment: str) -> Iterator[Terminal]:
    terminal = Terminal(width, height, *arguments, call=call, **environment)
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
        terminal.sees("+---------+")
        terminal.press("q")
        terminal.sees("Leave this game?")
        terminal.press("y")
        assert terminal.ends_with() == 0
        assert terminal.written.isascii()


COLOURS = re.compile(rb"\x1b\[(?:[0-9;:]*;)?(?:3[0-8]|4[0-8]|58|9[0-7]|10[0-7])[;:m]")


@pytest.mark.parametrize(("typed", "environment"), [(["--no-color"], {}), ([], {"NO_COLOR": "1"})])
@pytest.mark.parametrize("game", ["dicht_dran", "no_thanks", "chilli_chase"])
def test_without_colour_no_colour_is_written(typed: list[str], environment: dict[str, str], game: str) -> None:
    with scoville(80, 24, "practice", game, "--name", "Anna", *typed, COLORTERM="truecolor", **environment) as terminal:
        terminal.until(lambda: "The game starts" in terminal.text or "Esc skip" in terminal.text)  # of the board
        terminal.press("?")
        terminal.sees("Esc close")
        terminal.press("\x1b")
        terminal.until(lambda: "Esc close" not in terminal.text)
        terminal.press("q")
        terminal.sees("Leave this game?")
        terminal.press("y")
        assert terminal.ends_with() == 0
        assert b"\x1b[1m" in terminal.written, "what stands out is still bold"
        assert not COLOURS.search(terminal.written)


SWITCHES = re.compile(rb"\x1b\[\?([0-9;]+)([hl])")
CLICKS_AND_MOVEMENTS = {1000, 1003, 1006}
MOUSE = {9, 1000, 1001, 1002, 1003, 1005, 1006, 1015, 1016}


def switched_on(written: bytes) -> set[int]:
    """Return the private modes that are on after some bytes; the cursor (25) and line wrap (7) are on at first."""
    modes = {7, 25}
    for numbers, switch in SWITCHES.findall(written):
        changed = {int(number) for number in numbers.split(b";")}
        modes = modes | changed if switch == b"h" else modes - changed
    return modes


def is_as_before(terminal: Terminal) -> None:
    """Check that the terminal was restored: its modes, kitty's keyboard, and its input settings."""
    assert switched_on(terminal.written) == {7, 25}
    pushed, popped = terminal.written.count(b"\x1b[>"), terminal.written.count(b"\x1b[<u")
    assert pushed <= popped


@pytest.mark.parametrize(
    ("typed", "environment", "modes"),
    [
        ((), {}, CLICKS_AND_MOVEMENTS),
        ((), {"SSH_CONNECTION": "192.0.2.7 1 192.0.2.8 22"}, set()),
        (("--set", "mouse=off"), {}, set()),
    ],
    ids=["here", "over ssh", "off"],
)
def test_the_terminal_reports_the_mouse_only_where_it_is_wanted(
    typed: tuple[str, ...], environment: dict[str, str], modes: set[int]
) -> None:
    with scoville(80, 24, "practice", "--name", "Anna", *typed, **environment) as terminal:
        terminal.sees("Enter play")
        assert MOUSE & switched_on(terminal.written) == modes
        assert 1049 in switched_on(terminal.written)
        terminal.press("q")
        terminal.sees("Leave this game?")
        terminal.press("y")
        assert terminal.ends_with() == 0
        is_as_before(terminal)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
@pytest.mark.parametrize("command", [["practice", "--name", "Anna"], []], ids=["in a game", "at the start"])
def test_a_signal_ends_the_client_and_gives_the_terminal_back(number: signal.Signals, command: list[str]) -> None:
    with scoville(80, 24, *command) as terminal:
        terminal.sees("Enter play" if command else "Practise")
        raw = terminal.modes
        os.kill(terminal.child, number)
        assert terminal.ends_with() == 128 + number
        is_as_before(terminal)
        assert terminal.modes != raw


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_during_a_password_restores_the_echo(
    number: signal.Signals,
) -> None:
    with scoville(80, 24, "--plain") as terminal:
        terminal.sees("Scoville, a card table.")
        shows = terminal.modes
        terminal.press("host no_thanks 3 password\r")
        terminal.sees("Type a password for the table.")
        terminal.until(lambda: terminal.modes != shows)
        os.kill(terminal.child, number)
        assert terminal.ends_with() == (0 if number == signal.SIGINT else 128 + number)
        assert terminal.modes == shows


STUCK = f"""
import time
from scoville_client.tui import app
from scoville_client.tui.terminal import signals
signals.GRACE_SECONDS = 0.05
async def hang(self):
    time.sleep(3600)
app.ScovilleApp.on_unmount = hang
{CLIENT}"""
CRASH = f"""
from scoville_client.tui import app
def fail(self):
    raise RuntimeError("a fault of ours")
app.ScovilleApp.on_start_screen_painted = fail
{CLIENT}"""


def test_a_client_that_is_stuck_gives_the_terminal_back_too() -> None:
    with scoville(80, 24, call=STUCK) as terminal:
        terminal.sees("Practise")
        os.kill(terminal.child, signal.SIGTERM)
        assert terminal.ends_with() == 128 + signal.SIGTERM
        is_as_before(terminal)


def test_a_crash_gives_the_terminal_back_and_is_one_sentence(tmp_path: Path) -> None:
    with scoville(80, 24, call=CRASH, XDG_STATE_HOME=str(tmp_path)) as terminal:
        assert terminal.ends_with() == 1
        is_as_before(terminal)
        assert b"Scoville crashed because of a bug" in terminal.written
        assert b"Traceback" not in terminal.written


def test_ctrl_z_suspends_and_fg_repaints() -> None:
    with scoville(80, 24, "practice", "--name", "Anna") as terminal:
        terminal.sees("Enter play")
        terminal.press("\x1a")
        terminal.stops()
        is_as_before(terminal)
        terminal.resize(100, 30)
        os.kill(terminal.child, signal.SIGCONT)
        terminal.until(lambda: "Enter play" in terminal.text.splitlines()[29])
        terminal.press("q")
        terminal.sees("Leave this game?")
        terminal.press("y")
        assert terminal.ends_with() == 0
        is_as_before(terminal)
