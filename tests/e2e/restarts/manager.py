"""A service manager as systemd is for a server: it opens the port, and keeps the sockets that the server hands over."""

import asyncio
import ctypes
import os
import signal
import socket
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from pathlib import Path
from typing import Self

from scoville_runtime.control_client import ControlClient
from tests.support.process import SERVER, first_line

_FIRST = 3
_MOST_BYTES, _MOST_FILES = 4096, 253
_PR_SET_CHILD_SUBREAPER = 36


class ServiceManager:
    """Runs a server with socket activation and a store of descriptors. Use as a context.

    Args:
        data: The server's data folder; the manager's socket is beside it.
        options: More of the server's command line.
    """

    def __init__(self, data: Path, *options: str) -> None:
        self.data = data
        self._options = options
        self._port = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self._stored: dict[str, list[int]] = {}
        self._notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._notices.bind(str(data.with_name("notify")))
        self._notices.setblocking(False)
        self._process: Process | None = None
        self._main = 0
        self.watched = 0
        """Signs of life that the server has given."""
        self._before = sum(os.times()[2:4])
        asyncio.get_running_loop().add_reader(self._notices, self._take_notices)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.get_running_loop().remove_reader(self._notices)
        self._notices.close()
        self._port.close()
        for name in [*self._stored]:
            self._remove_stored(name)

    @property
    def port(self) -> int:
        """The server's port."""
        number: int = self._port.getsockname()[1]
        return number

    @property
    def pid(self) -> int:
        """The server's process: the one that was started, or its newest successor."""
        return self._main

    @property
    def used_seconds(self) -> float:
        """Processor time of all servers until now."""
        return sum(os.times()[2:4]) - self._before + read_used_seconds(self.pid)

    async def start_server(self, **environment: str) -> None:
        """Start the server with all sockets, and wait until it is ready."""
        stored = [(name, handle) for name, handles in self._stored.items() for handle in handles]
        inherited = [("port", self._port.fileno()), *stored]
        given = {
            "LISTEN_FDS": str(len(inherited)),
            "LISTEN_FDNAMES": ":".join(name for name, _ in inherited),
            "NOTIFY_SOCKET": str(self._notices.getsockname()),
            # All players come from one address.
            "SCOVILLE_LIMITS__PER_ADDRESS": "0",
        }
        last = _FIRST + len(inherited)

        def inherit() -> None:
            copies = [_copy_above(handle, last) for _, handle in inherited]
            for at, copy in enumerate(copies):
                os.dup2(copy, _FIRST + at)

        self._process = await asyncio.create_subprocess_exec(
            *("/bin/sh", "-c", 'SYSTEMD_EXEC_PID=$$ exec "$0" "$@"'),
            *(sys.executable, "-c", SERVER, "--data", str(self.data), "--host", "127.0.0.1"),
            *("--port", str(self.port), "--no-default-tables", "--log-level", "warning", *self._options),
            stdin=DEVNULL,
            stdout=PIPE,
            env={**os.environ, **given, **environment},
            pass_fds=tuple(range(_FIRST, last)),
            preexec_fn=inherit,
        )
        self._main = self._process.pid
        await self.wait_until_ready()

    async def wait_until_ready(self) -> None:
        """Wait until a server says that it listens."""
        assert self._process is not None
        while "listens on" not in (line := await first_line(self._process)):
            assert line, "the server has ended"

    def _take_notices(self) -> None:
        """Keep the descriptors that the server has stored until now, and show that its messages were read."""
        while True:
            try:
                text, handles, _, _ = socket.recv_fds(self._notices, _MOST_BYTES, _MOST_FILES)
            except BlockingIOError:
                return
            fields = dict(line.split("=", 1) for line in text.decode().splitlines() if "=" in line)
            self._main = int(fields.get("MAINPID", self._main))
            self.watched += "WATCHDOG" in fields
            name = fields.get("FDNAME", "")
            if "FDSTOREREMOVE" in fields:
                self._remove_stored(name)
            if "FDSTORE" in fields:
                self._store(name, handles)
            else:
                for handle in handles:
                    os.close(handle)

    def _store(self, name: str, handles: list[int]) -> None:
        """Keep descriptors, each socket once."""
        kept = self._stored.setdefault(name, [])
        known = {os.fstat(handle).st_ino for handle in kept}
        for handle in handles:
            if os.fstat(handle).st_ino in known:
                os.close(handle)
            else:
                kept.append(handle)

    def _remove_stored(self, name: str) -> None:
        for handle in self._stored.pop(name, []):
            os.close(handle)

    async def restart_server(self) -> None:
        """Stop the server and start it again, as `systemctl restart` does."""
        await self.stop_server()
        await self.start_server()

    async def restart_in_place(self) -> None:
        """Let a successor take over from the server, which ends."""
        former = self.pid
        # As the system's first process it adopts the successor, whose parent ends.
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
        await asyncio.to_thread(_restart_in_place, self.data)
        await self.wait_until_ready()
        await asyncio.to_thread(self._wait_until_ended, former)

    async def stop_server(self) -> None:
        """End the server as its host does."""
        await self.end_server(signal.SIGTERM)

    async def end_server(self, number: signal.Signals = signal.SIGKILL) -> None:
        """End the server at once, if it runs."""
        main, self._main = self._main, 0
        if main and self._process is not None:
            with suppress(ProcessLookupError):
                os.kill(main, number)
            await asyncio.to_thread(self._wait_until_ended, main)
            await self._process.communicate()

    def _wait_until_ended(self, pid: int) -> None:
        """Wait for the end of a process, which leaves no zombie."""
        # The event loop takes the end of the process that it has started.
        own = self._process is not None and pid == self._process.pid
        with suppress(ChildProcessError):
            os.waitid(os.P_PID, pid, os.WEXITED | (os.WNOWAIT if own else 0))


def read_used_seconds(pid: int, *, children: bool = False) -> float:
    """Return the processor time of a process of this machine, or of its children that have ended, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    first = 13 if children else 11
    return (int(fields[first]) + int(fields[first + 1])) / os.sysconf("SC_CLK_TCK")


def _copy_above(handle: int, first: int) -> int:
    import fcntl

    return fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, first)


def _restart_in_place(data: Path) -> None:
    client = ControlClient(data, seconds=60)
    client.send_command("restart", {}, "a new version")
    client.close()
