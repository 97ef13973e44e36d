"""Servers of benchmarks, each in a process of its own, of this version or of another checkout."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
_PACKAGES: Final = ("shared", "server", "client")


class Pipes:
    """Lines to and from a process whose standard input and output are pipes."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def read_line(self) -> str:
        """Read a line that it prints."""
        assert self.process.stdout is not None, "its output is a pipe"
        return self.process.stdout.readline()

    def write_line(self, line: str = "") -> None:
        """Write a line to it."""
        assert self.process.stdin is not None, "its input is a pipe"
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def end_input(self) -> None:
        """Write no more: a server of these benchmarks ends then."""
        assert self.process.stdin is not None, "its input is a pipe"
        self.process.stdin.close()


@contextmanager
def start_server(tree: Path, script: str, *arguments: str) -> Iterator[Pipes]:
    """Run a script of a checkout's scripts/benchmarks on this Python, with the code of that checkout."""
    path = os.pathsep.join(str(tree / package) for package in _PACKAGES)
    command = [sys.executable, str(tree / "scripts" / "benchmarks" / script), *arguments]
    environment = {**os.environ, "PYTHONPATH": path}
    with run_piped(command, environment) as pipes:
        yield pipes


@contextmanager
def run_piped(command: list[str], environment: dict[str, str] | None = None) -> Iterator[Pipes]:
    """Run a program whose input ends, and with it the program, after the block."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment) as process:
        pipes = Pipes(process)
        yield pipes
        pipes.end_input()
