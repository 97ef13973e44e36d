"""Users behind doors: OpenSSH's client on a pseudo-terminal, and pages, each with the screens of the client."""

import asyncio
import fcntl
import os
import pty
import re
import shutil
import struct
import sys
import termios
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Protocol

from scoville_runtime.clock import SYSTEM
from tests.client.doors.web.browser import Browser, Tab
from tests.support.warm_start import CLIENT

SHOWN = b"Tables"
"""What the lobby shows."""
_SECONDS = 60.0
"""Patience with the first screen on a busy machine."""
_BLOCK = 65_536
_HERE = "127.0.0.1"


class DoorSession(Protocol):
    """A user's screen behind a door."""

    received: int

    @property
    def is_open(self) -> bool:
        """Whether the session has not been closed."""

    def type(self, keys: bytes) -> None:
        """Press keys."""


class SshSession:
    """A user with OpenSSH's client."""

    def __init__(self, process: Process, handle: int, on_output: Callable[[bytes], object] = lambda _: None) -> None:
        self.received = 0
        self.text = b""
        self._process, self._handle, self._on_output = process, handle, on_output
        asyncio.get_running_loop().add_reader(handle, self._read)

    @classmethod
    async def log_in(cls, port: int, folder: Path) -> "SshSession":
        """Start ssh, and wait until the lobby is shown."""
        session = await cls.open_session(port, folder, "-o", "PubkeyAuthentication=no")
        await _wait_until(lambda: SHOWN in session.text, lambda: f"ssh shows no lobby, but {session.text!r}")
        return session

    @classmethod
    async def open_session(
        cls, port: int, folder: Path, *options: str, on_output: Callable[[bytes], object] = lambda _: None
    ) -> "SshSession":
        """Start ssh with more options on a terminal of 80 x 24."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        process = await asyncio.create_subprocess_exec(
            *("ssh", "-tt", "-p", str(port), "-o", "StrictHostKeyChecking=no", "-o", "LogLevel=ERROR"),
            *("-o", f"UserKnownHostsFile={folder / 'known'}", "-F", "none", *options, "127.0.0.1"),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm-256color"},
        )
        os.close(theirs)
        return cls(process, ours, on_output)

    @property
    def is_open(self) -> bool:
        return self._process.returncode is None

    def type(self, keys: bytes) -> None:
        os.write(self._handle, keys)

    def _read(self) -> None:
        try:
            data = os.read(self._handle, _BLOCK)
        except OSError:
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self._handle)
        self.received += len(data)
        self.text = (self.text + data)[-_BLOCK:]
        self._on_output(data)

    async def close(self) -> None:
        """Hang up."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()
        asyncio.get_running_loop().remove_reader(self._handle)
        os.close(self._handle)


class PageSession:
    """A user with a page in a browser."""

    def __init__(self, browser: Browser, tab: Tab) -> None:
        self.received = 0
        self.text = b""
        self._browser, self._tab = browser, tab
        self._reading = asyncio.get_running_loop().create_task(self._read())

    @classmethod
    async def open_page(cls, port: int) -> "PageSession":
        """Open a page, and wait until the lobby is shown."""
        browser = Browser(port)
        tab = await browser.open()
        await tab.socket.send_str('{"type":"hello","columns":80,"rows":24}')
        session = cls(browser, tab)
        await _wait_until(lambda: SHOWN in session.text, lambda: f"the page shows no lobby, but {session.text!r}")
        return session

    @property
    def is_open(self) -> bool:
        return not self._reading.done()

    def type(self, keys: bytes) -> None:
        self._typing = asyncio.ensure_future(self._tab.socket.send_bytes(keys))

    async def _read(self) -> None:
        async for message in self._tab.socket:
            if isinstance(message.data, bytes):
                self.received += len(message.data)
                self.text = (self.text + message.data)[-_BLOCK:]

    async def close(self) -> None:
        """Close the page."""
        await self._tab.socket.close()
        await self._reading
        await self._browser.http.close()


async def open_doors(stack: AsyncExitStack, data: Path, sessions: int) -> list[SshSession | PageSession]:
    """Start both doors beside a server and let users come, every other one by ssh if that is installed."""
    ssh = await _start_door(stack, data, "ssh", "--host-key", str(data.with_name("host_key")), "--listen", _HERE)
    web = await _start_door(stack, data, "web", "--state", str(data.with_name("web")), "--listen", _HERE)
    has_ssh = shutil.which("ssh") is not None
    users: list[SshSession | PageSession] = []
    for number in range(sessions):
        user: SshSession | PageSession
        if has_ssh and number % 2:
            user = await SshSession.log_in(ssh, data.parent)
        else:
            user = await PageSession.open_page(web)
        stack.push_async_callback(user.close)
        users.append(user)
    return users


async def _start_door(stack: AsyncExitStack, data: Path, kind: str, *options: str) -> int:
    """Start a door, and return its port."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", CLIENT, "door", kind, str(data / "door.sock"), "--port", "0", *options),
        stdin=DEVNULL,
        stdout=PIPE,
        env={**os.environ, "HOME": str(data.parent), "LANGUAGE": "en"},
    )
    stack.push_async_callback(_end_door, process)
    assert process.stdout is not None
    async with asyncio.timeout(_SECONDS):
        while line := (await process.stdout.readline()).decode():
            if found := re.search(r"(?:port |-p |:)(\d{4,5})\b", line):
                return int(found[1])
    raise AssertionError(f"the {kind} door does not open")


async def _end_door(process: Process) -> None:
    if process.returncode is None:
        process.kill()
    await process.communicate()


async def _wait_until(met: Callable[[], bool], failure: Callable[[], str]) -> None:
    """Wait until something is so. Raises AssertionError."""
    begun = SYSTEM.seconds()
    while not met():
        assert SYSTEM.seconds() - begun < _SECONDS, failure()
        await SYSTEM.sleep(0.02)
