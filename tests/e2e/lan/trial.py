"""What has to work between two computers on a network: the list, a private table's code, and the end."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from tempfile import TemporaryDirectory

from tests.e2e.lan.network import ADDRESSES, Cable

FAMILIES = tuple(ADDRESSES)
SECONDS = 60.0
"""Seconds after which something has not happened."""
GONE_SECONDS = 3.0
"""Seconds for a goodbye to arrive."""
_SCOVILLE = Path(sys.executable).with_name("scoville")


class Failed(Exception):
    """Something does not work; the text says what, with everything that was written."""


class Client:
    """The line mode in a namespace."""

    def __init__(self, namespace: str, folder: Path, *arguments: str) -> None:
        environment = {**os.environ, "XDG_DATA_HOME": str(folder), "XDG_STATE_HOME": str(folder), "LANGUAGE": "en"}
        environment.pop("SCOVILLE_NO_LAN", None)
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", namespace, _SCOVILLE, *arguments, "--plain"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
        )  # fmt: skip
        self._lines: Queue[str] = Queue()
        self._all: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self._lines.put(line.strip())

    def hears(self, pattern: str) -> re.Match[str]:
        """Wait for a line. Raises Failed."""
        end = time.monotonic() + SECONDS
        while (left := end - time.monotonic()) > 0:
            try:
                line = self._lines.get(timeout=left)
            except Empty:
                break
            self._all.append(line)
            if found := re.search(pattern, line):
                return found
        raise Failed(f"nothing like {pattern!r} in: {self._all}")

    def type(self, line: str) -> None:
        """Type a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()


@contextmanager
def run_client(namespace: str, folder: Path, *arguments: str) -> Iterator[Client]:
    """Run the line mode until its input ends."""
    running = Client(namespace, folder, *arguments)
    try:
        yield running
    finally:
        running.process.communicate(timeout=SECONDS)


def try_network(cable: Cable) -> Iterator[str]:
    """Yield what works. Raises Failed."""
    with TemporaryDirectory(prefix="scoville-lan-") as folder:
        host, guest = Path(folder, "host"), Path(folder, "guest")
        other = Path(folder, "other guest")  # another server at the same address has another key
        with run_client(cable.host, host, "host", "no_thanks", "--name", "Anna") as anna:
            anna.hears("^Table code: ")
            with run_client(cable.guest, guest, "join", "--name", "Ben") as ben:
                found = ben.hears(r"^(\d)\. Anna: No Thanks!, 1 of 4 seats$")
                ben.type(f"join {found[1]}")
                ben.hears("^You are Ben")
                yield "a public table is listed and its server joined"
        with run_client(cable.host, host / "private", "--name", "Cleo") as cleo:
            cleo.type("host no_thanks private")
            code = cleo.hears(r"^Table code: ([a-z-]+)$")[1]
            with run_client(cable.guest, other, "join", "--name", "Ben") as ben:
                ben.hears(r"^\d\. Private tables: join with a table code$")
                yield "of a private table only the server is listed"
            with run_client(cable.guest, other, "join", code, "--name", "Ben") as ben:
                ben.hears("^Ben takes seat 2")
                yield "its code finds it"
        time.sleep(GONE_SECONDS)
        with run_client(cable.guest, guest, "join") as ben:
            ben.hears("^No server found on this network")
            yield "after the end nothing is listed"
