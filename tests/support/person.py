"""Somebody at the line mode: a process with pipes, read and answered line by line."""

import re
import subprocess
import sys
from pathlib import Path
from types import TracebackType

SCOVILLE = Path(sys.executable).parent / "scoville"


class Person:
    """Runs `scoville ARGUMENTS`, types lines and keeps everything said."""

    def __init__(self, *arguments: str) -> None:
        self.said: list[str] = []
        self._process = subprocess.Popen(
            [SCOVILLE, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )

    def __enter__(self) -> "Person":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.kill()
        self._process.communicate()

    def kill(self) -> None:
        """End the process as a power cut would."""
        self._process.kill()
        self._process.wait()

    def type(self, line: str) -> None:
        """Type a line."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def hear(self, pattern: str) -> re.Match[str]:
        """Listen until a line matches; fails when the process ends before."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.said.append(line.rstrip("\n"))
            found = re.search(pattern, line)
            if found:
                return found
        raise AssertionError(f"nothing like {pattern!r} was said, but: {self.said[-10:]}")

    def end(self) -> int:
        """Wait for the process to end; returns its status."""
        rest, _ = self._process.communicate(timeout=60)
        self.said += rest.splitlines()
        return self._process.returncode
