"""Line mode inside this process: a test types lines and waits for output."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from queue import Queue
from typing import Any, TextIO, cast

from scoville_client.plain.main import obey_lines
from scoville_client.session.start_options import Start
from scoville_server.accounts.model.account_limits import AccountLimits, Hashing
from scoville_server.daily.model.calendar import DailySettings
from scoville_server.server import Server
from scoville_server.settings.model import Settings

LOCAL = "127.0.0.1"
TIMEOUT = 60.0
"""Real seconds after which what was not said is a fault."""


class Keyboard:
    """Lines that are typed one by one, as a stream that is read."""

    def __init__(self) -> None:
        self._lines: Queue[str | None] = Queue()

    def __iter__(self) -> Iterator[str]:
        while (line := self._lines.get()) is not None:
            yield f"{line}\n"

    def isatty(self) -> bool:
        return False

    def type(self, line: str | None) -> None:
        """Type a line; None ends the input."""
        self._lines.put(line)


class Listener:
    """Reader of the output `said`; each line is returned once, in order."""

    def __init__(self, start: Start, keyboard: Keyboard | None = None) -> None:
        self.said: list[str] = []
        self.keyboard = keyboard or Keyboard()
        self._heard = 0
        self._more = asyncio.Event()
        source = cast("TextIO", self.keyboard)
        self._task = asyncio.get_running_loop().create_task(obey_lines(start, source, self._say))

    def _say(self, line: str) -> None:
        self.said.append(line)
        self._more.set()

    def type(self, *lines: str) -> None:
        """Type lines."""
        for line in lines:
            self.keyboard.type(line)

    async def hear(self, pattern: str) -> re.Match[str]:
        """Wait for a matching line after those returned before."""
        try:
            async with asyncio.timeout(TIMEOUT):
                while True:
                    for number, line in enumerate(self.said[self._heard :], self._heard + 1):
                        if found := re.search(pattern, line):
                            self._heard = number
                            return found
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            raise AssertionError(f"nothing like {pattern!r} was said, but: {self.said[self._heard :]}") from None

    async def ask(self, line: str, pattern: str) -> re.Match[str]:
        """Type a line and wait for a matching answer; earlier output does not count."""
        self._heard = len(self.said)
        self.type(line)
        return await self.hear(pattern)

    async def end(self) -> int:
        """End the input, and wait for the exit status."""
        self.keyboard.type(None)
        return await asyncio.wait_for(self._task, TIMEOUT)


@asynccontextmanager
async def serve_cheaply(**settings: Any) -> AsyncIterator[Server]:
    """Run a real server, whose passwords cost next to nothing; a daily deal would differ from day to day."""
    cheap = AccountLimits(hashing=Hashing(memory_kib=8, passes=1))
    daily = DailySettings(enabled=False)
    server = Server(Settings(**{"host": LOCAL, "port": 0, "accounts": cheap, "daily": daily, **settings}))
    await server.start()
    try:
        yield server
    finally:
        await server.close()


@asynccontextmanager
async def listen_as(server: Server, name: str, keyboard: Keyboard | None = None) -> AsyncIterator[Listener]:
    """Start the line mode, connected to a server."""
    async with start_line_mode(Start(kind="join", host=LOCAL, port=server.port, name=name), keyboard) as user:
        yield user


@asynccontextmanager
async def start_line_mode(start: Start, keyboard: Keyboard | None = None) -> AsyncIterator[Listener]:
    """Start the line mode with these options."""
    user = Listener(start, keyboard)
    try:
        await user.hear(rf"(?:^|is taken\. )You are “?{start.name}")  # in quotation marks where a server has spoiled it
        yield user
    finally:
        await user.end()
