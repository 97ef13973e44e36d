"""Line mode in a process of its own, written and read line by line through pipes."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from signal import Signals
from threading import Thread
from time import monotonic
from types import TracebackType

SCOVILLE = Path(sys.executable).parent / "scoville"
TIMEOUT = 60.0
"""Seconds after which what was not said is a fault."""


class LineMode:
    """Runs `scoville ARGUMENTS`, types lines and records the output; `environment` changes that of the tests."""

    def __init__(self, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        self.said: list[str] = []
        self._process = subprocess.Popen(
            [SCOVILLE, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            env={**os.environ, **(environment or {})},
        )
        assert self._process.stdout is not None
        self._lines: Queue[str | None] = Queue()
        self._ear = Thread(target=self._listen, args=(self._process.stdout,), daemon=True)
        self._ear.start()

    def __enter__(self) -> "LineMode":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.kill()
        self._ear.join(TIMEOUT)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self.hang_up()

    def kill(self) -> None:
        """End the process as a power cut would."""
        self._process.kill()
        self._process.wait()

    def signal(self, number: Signals) -> None:
        """Send a signal to the process."""
        self._process.send_signal(number)

    def type(self, line: str) -> None:
        """Type a line."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def hang_up(self) -> None:
        """Let the input end, as a pipe does."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()

    def hear(self, pattern: str, idle_timeouts: float = TIMEOUT) -> re.Match[str]:
        """Read until a line matches. Fails when the process ends before, or after the patience."""
        until = monotonic() + idle_timeouts
        while (line := self._next(until)) is not None:
            if found := re.search(pattern, line):
                return found
        raise AssertionError(f"nothing like {pattern!r} was said, but: {self.said[-10:]}")

    def end(self) -> int:
        """Wait for the process to end, without more to type; returns its status."""
        self.hang_up()
        return self.wait()

    def wait(self) -> int:
        """Wait for the process to end by itself; returns its status."""
        status = self._process.wait(TIMEOUT)
        while self._next(monotonic() + TIMEOUT) is not None:
            pass
        return status

    def _next(self, until: float) -> str | None:
        """Return the next line; None when the process has ended, or at the time `until`."""
        try:
            line = self._lines.get(timeout=max(0.0, until - monotonic()))
        except Empty:
            return None
        if line is None:
            self._lines.put(None)
        else:
            self.said.append(line)
        return line

    def _listen(self, said: Iterable[str]) -> None:
        for line in said:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)


def has_pictures(line: str) -> bool:
    """Whether a line has frames, blocks or braille patterns, which screen readers spell or display as noise."""
    return any("\u2500" <= sign <= "\u259f" or "\u2800" <= sign <= "\u28ff" for sign in line)
