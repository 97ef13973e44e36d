"""The load of `doors.py`: users at terminals of 80 x 24 in 24-bit colours, over ssh or with a process of their own."""

import asyncio
import fcntl
import os
import pty
import signal
import struct
import termios
import time
from collections.abc import Awaitable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import asyncssh

SIZE = (80, 24)
TERMINAL = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
SCREEN, MARK = b"Tables", "╔".encode()
"""What the lobby shows, and what moves with a key there: the corner of the marked table's tile."""
KEYS = (b"\x1b[B", b"\x1b[A")
"""Arrow keys, down and up in turn."""
PAUSE = 1.0
PATIENCE = 60.0
"""Seconds after which a user who waits for something gives up."""

T = TypeVar("T")


class Terminal:
    """What a user sees: counts bytes, and waits for words.

    Attributes:
        received: Bytes so far.
        latencies: Seconds from the moment at which each key was due until the terminal showed its effect.
        bytes_of_keys: Bytes of each of these paints.
    """

    def __init__(self) -> None:
        self.received = 0
        self.latencies: list[float] = []
        self.bytes_of_keys: list[int] = []
        self._recent = b""
        self._word = b""
        self._shown: asyncio.Future[float] | None = None

    def send(self, data: bytes) -> None:
        """Type."""
        raise NotImplementedError

    def leave(self) -> None:
        """Lose the connection."""
        raise NotImplementedError

    def show(self, data: bytes) -> None:
        """Take what the program has written."""
        self.received += len(data)
        if self._shown is not None and not self._shown.done():
            self._recent = (self._recent + data)[-65_536:]
            if self._word in self._recent:
                self._shown.set_result(time.perf_counter())

    async def sees(self, word: bytes) -> float:
        """Wait until a word is written from now on; an empty one stands for anything. Returns the moment."""
        self._word, self._recent = word, b""
        self._shown = asyncio.get_running_loop().create_future()
        async with asyncio.timeout(PATIENCE):
            return await self._shown

    async def type(self, over: asyncio.Event, pause: float, first: float, effect: bytes) -> None:
        """Press an arrow key every `pause` seconds, beginning after `first`; `effect` is what each of them writes.

        A key is timed from the moment at which it was due, also when the one before was late.
        """
        begin = time.perf_counter() + first
        for number in count():
            due = begin + number * pause
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            if over.is_set():
                return
            before = self.received
            shown = asyncio.ensure_future(self.sees(effect))
            await asyncio.sleep(0)
            self.send(KEYS[number % len(KEYS)])
            self.latencies.append(await shown - due)
            self.bytes_of_keys.append(self.received - before)


class SshTerminal(Terminal, asyncssh.SSHClientSession[bytes]):
    """The terminal of a user who comes by ssh."""

    _chan: asyncssh.SSHClientChannel[bytes]
    _connection: asyncssh.SSHClientConnection

    @classmethod
    async def come(cls, port: int, number: int, user: str, word: bytes) -> "SshTerminal":
        """Log in from an address of one's own and wait for a word of the first screen."""
        connection = await asyncssh.connect(
            "127.0.0.1",
            port,
            local_addr=(f"127.0.{1 + number // 250}.{1 + number % 250}", 0),
            username=user,
            client_keys=[],
            agent_path=None,
            known_hosts=None,
            config=[],
            client_factory=_Keyless,
            login_timeout=PATIENCE,
            connect_timeout=PATIENCE,
        )
        terminal = cls()
        seen = asyncio.ensure_future(terminal.sees(word))
        await connection.create_session(
            lambda: terminal, term_type=TERMINAL["TERM"], term_size=SIZE, env=[*TERMINAL.items()], encoding=None
        )
        terminal._connection = connection
        await seen
        return terminal

    def connection_made(self, chan: asyncssh.SSHClientChannel[bytes]) -> None:
        """Keep the channel."""
        self._chan = chan

    def data_received(self, data: bytes, datatype: Any) -> None:  # noqa: ARG002 - of the interface
        """Take what the door has written."""
        self.show(data)

    def send(self, data: bytes) -> None:
        """Type."""
        self._chan.write(data)

    def leave(self) -> None:
        """Lose the connection."""
        self._connection.abort()


class _Keyless(asyncssh.SSHClient):
    """Answers the keyboard-interactive log-in like OpenSSH: no questions, no answers."""

    def kbdint_auth_requested(self) -> str:
        """Take part."""
        return ""

    def kbdint_challenge_received(self, name: str, instructions: str, lang: str, prompts: Any) -> list[str]:  # noqa: ARG002
        """Answer nothing."""
        return []


class ProcessTerminal(Terminal):
    """The pseudo-terminal of a program that runs for one user alone."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        super().__init__()
        self.pid, self._handle = pty.fork()
        if self.pid == 0:
            os.environ.update(TERMINAL, XDG_DATA_HOME=str(folder), XDG_CONFIG_HOME=str(folder))
            os.execv(command[0], list(command))
        fcntl.ioctl(self._handle, termios.TIOCSWINSZ, struct.pack("HHHH", SIZE[1], SIZE[0], 0, 0))
        asyncio.get_running_loop().add_reader(self._handle, self._read)

    def _read(self) -> None:
        try:
            self.show(os.read(self._handle, 65_536))
        except OSError:  # the program has ended
            asyncio.get_running_loop().remove_reader(self._handle)

    def send(self, data: bytes) -> None:
        """Type."""
        os.write(self._handle, data)

    def leave(self) -> None:
        """End the program."""
        asyncio.get_running_loop().remove_reader(self._handle)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._handle)


async def press_keys(users: Sequence[Terminal], meanwhile: Awaitable[T], effect: bytes) -> T:
    """Let all users press a key every PAUSE seconds, not at the same moment, until something else is over."""
    over = asyncio.Event()
    each = (user.type(over, PAUSE, PAUSE * number / len(users), effect) for number, user in enumerate(users))
    typing = asyncio.gather(*each)
    result = await meanwhile
    over.set()
    await typing
    return result


def collect_keys(users: Sequence[Terminal]) -> Iterator[tuple[float, int]]:
    """Yield seconds and bytes of all keys since the last call, and forget them."""
    for user in users:
        yield from zip(user.latencies, user.bytes_of_keys, strict=True)
        user.latencies.clear()
        user.bytes_of_keys.clear()
