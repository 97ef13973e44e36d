"""A hosted user in tests: a channel into a terminal of pyte, a session on it, and a server in this process."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pyte

from scoville_client.doors.hosting.garbage import GarbageCollector
from scoville_client.doors.hosting.input_budget import InputBudgets
from scoville_client.doors.hosting.process import share_process
from scoville_client.doors.hosting.session import HostedSession, Shared
from scoville_client.doors.hosting.start_gate import StartGate
from scoville_client.doors.hosting.terminal import Terminal
from scoville_client.doors.hosting.visitor import Visitor
from scoville_client.session.start_options import Start
from scoville_client.transport.base import Link, Listener
from scoville_client.transport.in_process import LocalLink, serve_in_process
from scoville_runtime.clock import Clock
from scoville_server.server import Server
from tests.support import frames as frames  # Textual without waits
from tests.support.clock import FakeClock
from tests.support.idle import eventually
from tests.support.terminal_screen import TerminalScreen


class TapedChannel:
    """A channel into a terminal: `sent` is every byte, and `status` that of the end."""

    def __init__(self, size: tuple[int, int]) -> None:
        self.sent = b""
        self.status: int | None = None
        self.aborted = False
        self.screen = TerminalScreen(*size)
        self._stream = pyte.ByteStream(self.screen)

    def write(self, data: bytes) -> None:
        self.sent += data
        self._stream.feed(data)

    def end(self, status: int) -> None:
        self.status = status

    def abort(self) -> None:
        self.aborted = True

    @property
    def text(self) -> str:
        """What the terminal shows."""
        return "\n".join(line.rstrip() for line in self.screen.display)


class SilentLink(LocalLink):
    """A link to a server that accepts connections and never answers."""

    async def open(self, _: Listener) -> None:
        await asyncio.get_running_loop().create_future()


class HostedUser:
    """Types on a terminal and looks at it."""

    def __init__(self, session: HostedSession, channel: TapedChannel, clock: FakeClock) -> None:
        self.session = session
        self.channel = channel
        self.clock = clock

    def type(self, keys: str) -> None:
        self.session.receive(keys.encode())

    async def sees(self, words: str) -> None:
        """Wait until a text is on the terminal, and keys are taken there."""
        await self.until(lambda: words in self.channel.text and self.is_up_to_date)

    async def leaves(self) -> None:
        """Lose the connection, and wait for the end of the session."""
        self.session.lose_connection()
        await self.session.task

    async def until(self, met: Callable[[], Any]) -> None:
        await eventually(met, lambda: f"the terminal shows:\n{self.channel.text}")

    @property
    def is_up_to_date(self) -> bool:
        app = self.session._app
        return app is None or app.up_to_date

    async def bytes_of(self, keys: str) -> int:
        """Type, and return how many bytes the terminal gets for it."""
        before = self.channel.sent
        self.type(keys)
        await self.until(lambda: len(self.channel.sent) > len(before) and self.is_up_to_date)
        return len(self.channel.sent) - len(before)


def shared_by(clock: FakeClock, places: int = 2, **more: Any) -> Shared:
    """What sessions of one process have in common, by a clock of a test."""
    return Shared(
        StartGate(places, clock.clock),
        InputBudgets(clock.clock),
        GarbageCollector(clock.clock),
        clock=clock.clock,
        **more,
    )


def come(
    server: Server,
    name: str = "Anna",
    terminal: Terminal | None = None,
    clock: FakeClock | None = None,
    shared: Shared | None = None,
    link: Callable[[Server, Clock], Link] = LocalLink,
    address: str = "",
    **more: Any,
) -> HostedUser:
    """Let a user come to a server through a hosted session."""
    share_process()
    clock, terminal = clock or FakeClock(), terminal or Terminal(colours="true")
    channel = TapedChannel(terminal.size)
    start = Start(kind="join", host="localhost", name=name, **more)
    visitor = Visitor(start, lambda: link(server, clock.clock), address=address)
    return HostedUser(HostedSession(visitor, channel, terminal, shared or shared_by(clock)), channel, clock)


async def in_the_lobby(user: HostedUser) -> HostedUser:
    """Wait until the lobby is shown."""
    await user.until(lambda: user.session._app is not None and user.session._app.is_running)
    await user.sees("you are")
    return user


@asynccontextmanager
async def a_server() -> AsyncIterator[Server]:
    """A server with the real games, in memory."""
    server = await serve_in_process()
    try:
        yield server
    finally:
        await server.close()
