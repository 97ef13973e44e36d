"""Processes of doors: each is started again when it dies, and ends with the process that started it."""

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from scoville_runtime.back_off import BackOff
from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.log_setup import reopen_log_file
from scoville_runtime.signals import ignore_harmless_signals

_log = logging.getLogger(__name__)

_SHORTEST, _LONGEST = 0.5, 30.0
"""Seconds before a process is started again, doubled after each time."""
_STEADY_SECONDS: Final = 60.0
"""Seconds after which a process counts as well, and the next pause is the shortest again."""
_STOP_SECONDS: Final = 8.0
LOG_BYTES: Final = 1_048_576
"""Size of a log at most; a second file of this size has what was before."""
_CHUNK: Final = 65_536
_COMMAND: Final = "import sys; from scoville_client.cli.main import main; sys.exit(main())"


class Supervised:
    """A process that runs until `close`.

    Its standard input is a pipe that nobody writes to: when this process is killed, its end tells the other one to end.

    Args:
        arguments: Arguments of the command `scoville`.
        log: File that its output is appended to; None for the output of this process.
        on_end: Called when it has died and is going to be started again, with how often in a row that was.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        log: Path | None = None,
        clock: Clock = SYSTEM,
        on_end: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._arguments = arguments
        self._on_end = on_end
        self._log = log
        self._clock = clock
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._copies: set[asyncio.Task[None]] = set()
        self.starts = 0

    @property
    def pid(self) -> int | None:
        """The number of the process that runs now."""
        return None if self._process is None else self._process.pid

    def send_signal(self, number: int) -> None:
        """Send a signal to the process that runs now."""
        if self._process is not None and self._process.returncode is None:
            # It may have ended since it was looked at.
            with suppress(ProcessLookupError):
                self._process.send_signal(number)

    def start(self) -> None:
        """Start the process, and again whenever it dies."""
        self._task = asyncio.get_running_loop().create_task(self._keep_alive(), name="supervised process")

    async def close(self) -> None:
        """Stop the process."""
        # The task first: it would start the process again.
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            # It may have ended since it was looked at.
            with suppress(ProcessLookupError):
                process.terminate()
            try:
                async with self._clock.limit(_STOP_SECONDS):
                    await process.wait()
            except TimeoutError:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if self._copies:
            await asyncio.wait(self._copies)

    async def _keep_alive(self) -> None:
        back_off, ends = BackOff(_SHORTEST, _LONGEST), 0
        while True:
            began = self._clock.seconds()
            with suppress(OSError):  # no folder for the log, no room for a process: tried again like one that died
                await self._run()
            ends += 1
            if self._clock.seconds() - began > _STEADY_SECONDS:
                back_off.start_over()
                ends = 1
            self._on_end(ends)
            await self._clock.sleep(back_off.next_wait())

    async def _run(self) -> None:
        self.starts += 1
        log = None if self._log is None else BoundedLog(self._log)
        output = asyncio.subprocess.PIPE if log else None
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            _COMMAND,
            *self._arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=output,
            stderr=asyncio.subprocess.STDOUT if log else None,
        )
        if log is not None and self._process.stdout is not None:
            copying = asyncio.get_running_loop().create_task(log.copy(self._process.stdout), name="log of a process")
            self._copies.add(copying)  # it goes on while the process is stopped, whose last lines matter
            copying.add_done_callback(self._copies.discard)
        await self._process.wait()


class BoundedLog:
    """A file that output is appended to; a full one is kept once, beside it as `.old`, and begun again.

    Raises OSError where the file cannot be written at all; a disk that is full later loses lines and stops nothing.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        with file.open("ab"):
            pass

    async def copy(self, output: asyncio.StreamReader) -> None:
        """Append a file's bytes, to its end."""
        while data := await output.read(_CHUNK):
            # A full disk must not stop the reading: the process would wait for its output for ever.
            with suppress(OSError):
                self.append(data)

    def append(self, data: bytes) -> None:
        """Append some output. Raises OSError."""
        if self._file.exists() and self._file.stat().st_size + len(data) > LOG_BYTES:
            self._file.replace(self._file.with_name(f"{self._file.name}.old"))
        with self._file.open("ab") as file:
            file.write(data)


async def wait_for_end(*, supervised: bool, reopened: Callable[[], object] = lambda: None) -> None:
    """Wait for a signal that ends this process; if it is supervised, also for the end of the one that started it.

    SIGUSR1 opens the log file again and calls `reopened`; all other signals are ignored, also that of a terminal that
    is closed.
    """
    over, loop = asyncio.Event(), asyncio.get_running_loop()

    def reopen() -> None:
        _reopen_log()
        reopened()

    ignore_harmless_signals()
    for name, handler in (
        ("SIGTERM", over.set),
        ("SIGINT", over.set),
        ("SIGQUIT", over.set),
        ("SIGUSR1", reopen),
    ):
        # Windows has neither these signals nor handlers of the loop.
        with suppress(NotImplementedError, AttributeError):
            loop.add_signal_handler(getattr(signal, name), handler)
    ends: list[asyncio.Task[object]] = [loop.create_task(over.wait())]
    if supervised:
        ends.append(loop.create_task(wait_for_parent_end()))
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    for end in ends:
        end.cancel()


def _reopen_log() -> None:
    try:
        reopen_log_file()
    except OSError as error:
        _log.error("The log file cannot be opened again, so the former one stays in use: %s", error.strerror)


async def wait_for_parent_end() -> None:
    """Wait until the process that has started this one is gone: the end of the standard input."""
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.read(1024):
        pass
