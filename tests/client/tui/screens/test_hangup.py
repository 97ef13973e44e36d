"""A terminal that vanishes without SIGHUP: the real command on a pseudo-terminal that is not its controlling one."""

import os
import pty
import resource
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from fcntl import ioctl
from pathlib import Path

import pyte
import pytest

from scoville_client.tui.terminal.driver import TerminalFile
from tests.client.tui.screens.test_terminal import TIMEOUT, Terminal
from tests.support.exports import play_exported_game, write_export
from tests.support.terminal_screen import TerminalScreen
from tests.support.warm_start import CLIENT
from tests.support.zygote import ignore_hangup

CPU_SECONDS = 20.0
"""Processor time after which a client spins: the whole life of one that ends takes 1 to 3, however long that is."""


class Vanishing(Terminal):
    """A client on a terminal that vanishes."""

    def __init__(self, arguments: Sequence[str], *, keeps: Sequence[str] = (), ignores_hangup: bool = False) -> None:
        self.written = b""
        self._screen = TerminalScreen(80, 24)
        self._stream = pyte.ByteStream(self._screen)
        self._terminal, end = pty.openpty()
        ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.complaints = b""

        streams = {"stdin": end, "stdout": end, "stderr": end, **dict.fromkeys(keeps, subprocess.PIPE)}
        command = [sys.executable, "-c", CLIENT, *arguments]
        self.process = subprocess.Popen(
            command,
            **streams,  # type: ignore[arg-type]
            start_new_session=True,
            preexec_fn=ignore_hangup if ignores_hangup else None,  # noqa: PLW1509 - nothing else runs in threads here
            env={**os.environ, "TERM": "xterm-256color"},
        )
        os.close(end)
        self.child = self.process.pid
        resource.prlimit(self.child, resource.RLIMIT_CPU, (int(CPU_SECONDS), int(CPU_SECONDS)))

    def vanish(self) -> int:
        """Close the terminal; returns the exit status. A client that spins is killed: -SIGXCPU, or -SIGKILL."""
        os.close(self._terminal)
        status = self.process.wait(TIMEOUT)
        if self.process.stderr is not None:
            self.complaints = self.process.stderr.read()
            self.process.stderr.close()
        return status


@pytest.mark.parametrize("ignores_hangup", [False, True], ids=["", "under nohup"])
@pytest.mark.parametrize(
    ("command", "shown"), [([], "Practise"), (["practice"], "Enter play"), (["host", "--port", "0"], "scoville join")]
)
def test_a_client_whose_terminal_vanishes_ends_as_after_sighup(
    command: list[str], shown: str, ignores_hangup: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(folder, str(tmp_path))
    client = Vanishing(command, ignores_hangup=ignores_hangup)
    client.sees(shown)
    assert client.vanish() == 128 + signal.SIGHUP
    assert not [*tmp_path.rglob("last-error.txt")]


def test_a_replay_whose_terminal_vanishes_ends(tmp_path: Path) -> None:
    client = Vanishing(["replay", str(write_export(play_exported_game("no_thanks"), tmp_path / "game.jsonl"))])
    client.sees("Anna")
    assert client.vanish() == 128 + signal.SIGHUP


@pytest.mark.parametrize("command", [["--plain"], ["practice", "--plain"], ["host", "--plain", "--port", "0"]])
def test_the_line_mode_ends_with_its_input(command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    client = Vanishing(command, keeps=["stderr"])
    client.sees(".")
    assert client.vanish() == 0
    assert client.complaints == b""


def test_the_line_mode_ends_while_a_password_is_typed() -> None:
    client = Vanishing(["--plain"], keeps=["stderr"])
    client.sees("Scoville, a card table.")
    client.press("host no_thanks 3 password\r")
    client.sees("Type a password for the table.")
    assert client.vanish() == 0
    assert client.complaints == b""


def test_bytes_that_are_no_utf_8_mean_nothing() -> None:
    client = Vanishing(["practice"])
    client.sees("Enter play")
    os.write(client._terminal, b"\xfc\xe4\xff")
    client.press("q")
    client.sees("Leave this game?")
    assert client.vanish() == 128 + signal.SIGHUP


def test_output_waits_for_a_non_blocking_terminal() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    text = "ü" * 200_000
    with (
        os.fdopen(writing, "w", encoding="utf-8") as file,
        os.fdopen(reading, "rb") as terminal,
        ThreadPoolExecutor(1) as pool,
    ):
        read = pool.submit(terminal.read, len(text.encode()))
        TerminalFile(file, pytest.fail).write(text)
        assert read.result(TIMEOUT).decode() == text


def test_a_vanished_terminal_is_reported_once() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    vanished: list[bool] = []
    with os.fdopen(writing, "w", encoding="utf-8") as file:
        output = TerminalFile(file, lambda: vanished.append(True))
        output.write("one")
        output.write("two")
    assert vanished == [True]
