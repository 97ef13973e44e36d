"""A process that another one succeeds: the successor starts while its predecessor still serves, and fails harmlessly.

Only with a service manager that learns the new main process; without one a process is replaced with its process id kept
(`replace_process`). Both ends talk by a socket pair, which shows each of them the other's end, in this order:

    successor    `started` with a handle of its process, once its modules are loaded
    successor    `ready`, once its settings are good
    predecessor  `kept` with a name and files, again and again, then `go`, once it has written and closed everything
    successor    `restored`, once it has read everything, before it does anything for anybody
    predecessor  `serve`, or `stop` if it was to stop meanwhile; the successor is the main process from here on

Until then a successor that says `failed` and why, ends or takes too long is killed, and its predecessor goes on; and
one whose predecessor ends does so too.
"""

import asyncio
import os
import signal
import socket
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from stat import S_ISSOCK
from typing import Final

from scoville_runtime.clock import Clock
from scoville_runtime.service_manager import MOST_FILES, SENDING_SECONDS, Inherited, OpenFile, adopt_file

STARTING_SECONDS: Final = 40.0
"""Seconds that a successor has to be ready: less than a restart has at the control socket."""
RESTORING_SECONDS: Final = 60.0
"""Seconds that it has to read everything, while nobody is served: with many tables on a busy machine it takes some."""
_VARIABLE: Final = "PREDECESSOR"
_MOST_BYTES: Final = 4096
_ERROR_BYTES: Final = 2000
"""Bytes of an error that are passed on."""
_OF_PROCESS: Final = ("SYSTEMD_EXEC_PID", "WATCHDOG_PID")
"""Variables that name the main process."""


class SuccessorFailed(Exception):
    """A successor cannot take over; the text says why, as the end of a sentence."""


class PredecessorGone(ConnectionError):
    """The process that this one was to succeed has ended."""


class _Channel:
    """One end of the socket pair, which never blocks for long."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        line.setblocking(False)

    def send(self, word: str, text: str = "", handles: Iterable[int] = ()) -> None:
        """Send a message. Raises OSError if the other end is gone, or no more files can be on their way."""
        self._line.settimeout(SENDING_SECONDS)
        try:
            socket.send_fds(self._line, [f"{word} {text}".encode()[:_MOST_BYTES]], [*handles])
        finally:
            self._line.setblocking(False)

    async def receive(self) -> tuple[str, str, list[int]]:
        """Wait for the next message; an empty word is the end of the other process."""
        while True:
            try:
                data, handles, _, _ = socket.recv_fds(self._line, _MOST_BYTES, MOST_FILES)
            except BlockingIOError:
                await _wait_until_readable(self._line.fileno())
            # The other process has ended without a word.
            except ConnectionError:
                return "", "", []
            else:
                for handle in handles:
                    # Unlike those that Python opens, received ones would be inherited by whatever is started later.
                    os.set_inheritable(handle, False)
                word, _, text = data.decode(errors="replace").partition(" ")
                return word, text, [*handles]

    def close(self) -> None:
        self._line.close()


class Successor:
    """The process that is to succeed this one, as this one sees it.

    Attributes:
        pid: Its process id.
    """

    def __init__(self, line: socket.socket, process: Process, errors: int, clock: Clock) -> None:
        self._channel = _Channel(line)
        self._clock = clock
        self._process = process
        self._errors = errors
        self._handle: int | None = None
        self.pid = 0

    @classmethod
    async def start(cls, clock: Clock, command: Sequence[str], seconds: float = STARTING_SECONDS) -> "Successor":
        """Start a command that takes over from this process, and wait until it is ready. Raises SuccessorFailed."""
        # Of packets: each message arrives whole with its files, and the end of a process as an empty one.
        own, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # A file for errors: nobody reads while the successor starts, and a full pipe would hold it up.
        errors, standard_error = os.memfd_create("errors"), os.dup(2)
        passed = (theirs.fileno(), standard_error)
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=DEVNULL,
                stderr=errors,
                pass_fds=passed,
                env={**os.environ, _VARIABLE: "{}:{}".format(*passed)},
            )
        except OSError as error:
            own.close()
            os.close(errors)
            raise SuccessorFailed(error.strerror or str(error)) from error
        finally:
            # With this copy open the end of the successor would never show.
            theirs.close()
            os.close(standard_error)
        successor = cls(own, process, errors, clock)
        try:
            async with clock.limit(seconds):
                await successor._wait_until_ready()
        except TimeoutError:
            await successor.end()
            raise SuccessorFailed(f"it was not ready within {seconds:g} seconds") from None
        # A cancel, too: the successor would live on beside this process.
        except BaseException:
            await successor.end()
            raise
        return successor

    async def _wait_until_ready(self) -> None:
        pid, handles = await self._wait_for("started")
        self.pid, self._handle = int(pid), handles[0]
        await self._process.wait()  # what was started has forked and ended: the successor is nobody's child here
        await self._wait_for("ready")

    def hand_over(self, kept: Mapping[str, Sequence[OpenFile]]) -> None:
        """Let it take all files and sockets, by name, and read what this process has written. Raises OSError."""
        for name, files in kept.items():
            for first in range(0, len(files), MOST_FILES):
                self._channel.send("kept", name, [each.fileno() for each in files[first : first + MOST_FILES]])
        self._channel.send("go")

    async def wait_until_restored(self, seconds: float = RESTORING_SECONDS) -> None:
        """Wait until it could serve. Raises SuccessorFailed."""
        try:
            async with self._clock.limit(seconds):
                await self._wait_for("restored")
        except TimeoutError:
            raise SuccessorFailed(f"it has not read everything within {seconds:g} seconds") from None

    def let_serve(self, *, stops: bool = False) -> None:
        """Let it serve; if it `stops`, only to end as this process would have. Raises OSError."""
        self._channel.send("stop" if stops else "serve")

    def forward_signals(self, *more: signal.Signals) -> None:
        """Send it the signals that wait for this process, which ends, and `more`."""
        # They were held back on purpose (`hold_signals`): a host who asks for a reload during a restart gets one.
        for number in (*signal.sigpending(), *more):
            self._send_signal(number)

    async def end(self) -> None:
        """Make sure that it has ended, and with it its locks and files."""
        self._channel.close()
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        # By a handle and not by its id, which another process may have by now.
        if self._handle is not None:
            self._send_signal(signal.SIGKILL)
            await _wait_until_readable(self._handle)
            os.close(self._handle)
            self._handle = None
        os.close(self._errors)

    async def _wait_for(self, word: str) -> tuple[str, list[int]]:
        said, text, handles = await self._channel.receive()
        if said != word:
            raise SuccessorFailed(text or self._read_errors() or "it has ended")
        return text, handles

    def _read_errors(self) -> str:
        """Return its errors from before it was ready; of a traceback, the exception."""
        text = os.pread(self._errors, 1 << 20, 0).decode(errors="replace").strip()
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return " ".join(lines[-1:] if "Traceback (most recent call last):" in lines else lines)[-_ERROR_BYTES:]

    def _send_signal(self, number: int) -> None:
        # It may have ended since.
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle or -1, number)


class Predecessor:
    """The process that this one is to succeed, as this one sees it.

    Attributes:
        waits: Whether it still serves, or has the last word on whether this process does.
    """

    def __init__(self, line: socket.socket, standard_error: int) -> None:
        self._channel = _Channel(line)
        self._standard_error = standard_error
        self.waits = True

    @classmethod
    def find(cls, environment: MutableMapping[str, str] = os.environ) -> "Predecessor | None":
        """Return the process that has started this one to succeed it, if one has. Forks, so it comes before threads.

        The manager adopts a process whose parent has ended, and only of its own children it learns how they end.
        """
        try:
            channel, standard_error = map(int, environment.pop(_VARIABLE, "").split(":"))
            found = S_ISSOCK(os.fstat(channel).st_mode)
        except (ValueError, OSError):  # none, or a variable of another program
            return None
        if not found:
            return None
        if os.fork():
            os._exit(0)
        for name in _OF_PROCESS:
            if name in environment:
                environment[name] = str(os.getpid())
        for handle in (channel, standard_error):
            os.set_inheritable(handle, False)
        predecessor = cls(socket.socket(fileno=channel), standard_error)
        handle = os.pidfd_open(os.getpid())
        try:
            predecessor._send("started", str(os.getpid()), [handle])
        finally:
            os.close(handle)
        return predecessor

    def use_error_stream(self) -> None:
        """Write errors where those of the predecessor go: until now it has kept them, to say why this start failed."""
        sys.stderr.flush()
        os.dup2(self._standard_error, 2)
        os.close(self._standard_error)

    def report_ready(self) -> None:
        """Say that this process could take over. Raises PredecessorGone."""
        self._send("ready")

    def report_failure(self, why: str) -> None:
        """Say why this process cannot take over, as the end of a sentence."""
        # Nobody is left to be told.
        with suppress(PredecessorGone):
            self._send("failed", why[:_ERROR_BYTES])

    async def wait_for_turn(self) -> Inherited:
        """Wait until the predecessor has written everything; returns its files and sockets. Raises PredecessorGone."""
        inherited = Inherited({}, {})
        while True:
            word, name, handles = await self._channel.receive()
            if word != "kept":
                break
            for handle in handles:
                adopt_file(inherited, name, handle)
        if word != "go":
            raise PredecessorGone("the server that this one was to succeed has ended")
        return inherited

    async def succeed(self) -> bool:
        """Become the serving process; returns whether it must end at once. Raises PredecessorGone."""
        self._send("restored")
        word, _, _ = await self._channel.receive()
        if word not in ("serve", "stop"):
            raise PredecessorGone("the server that this one was to succeed has ended")
        self._channel.close()
        self.waits = False
        return word == "stop"

    def _send(self, word: str, text: str = "", handles: Iterable[int] = ()) -> None:
        try:
            self._channel.send(word, text, handles)
        except OSError as error:
            raise PredecessorGone("the server that this one was to succeed has ended") from error


async def _wait_until_readable(handle: int) -> None:
    """Wait until there is something to read, or a process has ended."""
    loop = asyncio.get_running_loop()
    readable: asyncio.Future[None] = loop.create_future()

    def end_wait() -> None:
        if not readable.done():
            readable.set_result(None)

    loop.add_reader(handle, end_wait)
    try:
        await readable
    finally:
        loop.remove_reader(handle)
