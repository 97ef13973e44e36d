"""Processes of doors: each is started again when it dies, and ends with the process that started it."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from scoville_client.clock import REAL, Clock

_SHORTEST, _LONGEST = 0.5, 30.0
"""Seconds before a process is started again, doubled after each time."""
_STEADY_SECONDS: Final = 60.0
"""Seconds after which a process counts as well, and the next pause is the shortest again."""
_STOP_SECONDS: Final = 8.0
_COMMAND: Final = "import sys; from scoville_client.cli.main import main; sys.exit(main())"


class Supervised:
    """A process that runs until `close`.

    Its standard input is a pipe that nobody writes to: when this process is killed, its end tells the other one to end.

    Args:
        arguments: Arguments of the command `scoville`.
        log: File that its output is appended to; None for the output of this process.
    """

    def __init__(self, arguments: Sequence[str], log: Path | None = None, clock: Clock = REAL) -> None:
        self._arguments = arguments
        self._log = log
        self._clock = clock
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self.starts = 0

    @property
    def pid(self) -> int | None:
        """The number of the process that runs now."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the process, and again whenever it dies."""
        self._task = asyncio.get_running_loop().create_task(self._keep_alive(), name="supervised process")

    async def close(self) -> None:
        """Stop the process."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):
                process.terminate()
            try:
                async with self._clock.limit(_STOP_SECONDS):
                    await process.wait()
            except TimeoutError:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()

    async def _keep_alive(self) -> None:
        pause = _SHORTEST
        while True:
            began = self._clock.now()
            with suppress(OSError):  # no folder for the log, no room for a process: tried again like one that died
                await self._run()
            pause = _SHORTEST if self._clock.now() - began > _STEADY_SECONDS else min(2 * pause, _LONGEST)
            await self._clock.sleep(pause)

    async def _run(self) -> None:
        self.starts += 1
        output = None if self._log is None else self._log.open("ab")
        try:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                _COMMAND,
                *self._arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=output,
                stderr=output,
            )
        finally:
            if output is not None:
                output.close()
        await self._process.wait()


async def parent_is_gone() -> None:
    """Wait until the process that has started this one is gone: the end of the standard input."""
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.read(1024):
        pass
