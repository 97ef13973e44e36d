"""A real `scoville-server` in a process of its own, as a host starts it and a crash ends it; and ports of processes."""

import asyncio
import os
import re
import select
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path

from tests.support.warm_start import SERVER

Run = Callable[..., Awaitable[Process]]


async def run_server(*arguments: str, code: str = SERVER, **variables: str) -> Process:
    """Start the command `scoville-server`, whatever it is asked, with more environment variables."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, *arguments, env={**os.environ, **variables}, stdout=PIPE, stderr=PIPE
    )


async def first_line(process: Process) -> str:
    """Read the sentence with which a server says that it listens; empty when it has given up."""
    assert process.stdout is not None
    return (await process.stdout.readline()).decode()


def port_of(line: str) -> int:
    """Find the port in that sentence."""
    found = re.search(r"port (\d+)\.", line)
    assert found, line
    return int(found[1])


def quiet_port() -> int:
    """Find a free port below those that a system gives away unasked: nobody takes it while its server is down.

    Each process that runs tests looks in a place of its own.
    """
    return next(port for port in count(10_000 + os.getpid() % 20_000) if _is_free(port))


def _is_free(port: int) -> bool:
    with socket.socket() as knock:
        knock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            knock.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


DRAIN_SECONDS = "0.1"
"""How long games continue when it is stopped: tests that leave one running would wait for five seconds."""


class ServerProcess:
    """A server on a data folder, which can be killed and started again on the same port; games end soon with it.

    `arguments` are more of its command line; without any there are no default tables. `code` runs the command.
    """

    def __init__(self, data: Path, *arguments: str, code: str = SERVER) -> None:
        self.data = data
        self._code = code
        self._arguments = arguments or ("--no-default-tables",)
        self.port = quiet_port()
        self._process: Process | None = None
        # What a file says must count: variables come before it.
        self._variables = {} if "--config" in arguments else {"SCOVILLE_DRAIN_SECONDS": DRAIN_SECONDS}

    async def start(self) -> None:
        """Start, and wait until it listens: by then every table is open again."""
        self._process = await run_server(
            "--host", "127.0.0.1", "--port", str(self.port), "--data", str(self.data), "--log-level", "warning",
            *self._arguments, code=self._code, **self._variables,
        )  # fmt: skip
        line = await first_line(self._process)
        assert line, (await self._process.communicate())[1].decode()
        self.port = port_of(line)

    @property
    def process(self) -> Process | None:
        """The process, while it was not ended from here."""
        return self._process

    @property
    def pid(self) -> int:
        """The number of its process."""
        assert self._process is not None
        return self._process.pid

    async def kill(self) -> None:
        """End it with SIGKILL: it gets no chance to write, to close or to say goodbye."""
        await self._end(signal.SIGKILL)

    async def stop(self) -> str:
        """End it with SIGTERM; returns what it complained of."""
        return await self._end(signal.SIGTERM)

    async def _end(self, number: signal.Signals) -> str:
        process, self._process = self._process, None
        if process is None:
            return ""
        process.send_signal(number)
        _, err = await process.communicate()
        return err.decode()


TIMEOUT = 60.0
"""Seconds after which a port that has not changed is a fault."""
_PAUSE = 0.05


async def wait_until_open(port: int) -> None:
    """Wait until a process listens on a port."""
    await _wait_for_port(port, listens=True)


async def wait_until_closed(port: int) -> None:
    """Wait until nothing listens on a port."""
    await _wait_for_port(port, listens=False)


async def _wait_for_port(port: int, *, listens: bool) -> None:
    async with asyncio.timeout(TIMEOUT):
        while await _is_listening(port) != listens:  # noqa: ASYNC110 - another process sets no event
            await asyncio.sleep(_PAUSE)


async def _is_listening(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except (ConnectionRefusedError, ConnectionResetError):  # reset: taken by the system, and the port closed meanwhile
        return False
    writer.close()
    return True


_MOST = Path("/proc/sys/net/core/somaxconn")
CROWD = min(600, int(_MOST.read_text()) if _MOST.exists() else 128)
"""Connections, as many as systems allow that allow only a few."""


def connect_at_once(port: int, count: int = CROWD) -> int:
    """Connect so often while the server accepts nothing, and return how many connections the system has taken.

    The event loop stands still meanwhile. What does not fit in the queue of the port is sent again a second later.
    """
    lines = [socket.socket() for _ in range(count)]
    try:
        for line in lines:
            line.setblocking(False)
            line.connect_ex(("127.0.0.1", port))
        poll = select.poll()
        for line in lines:
            poll.register(line, select.POLLOUT)
        return len(poll.poll(0))
    finally:
        for line in lines:
            line.close()
