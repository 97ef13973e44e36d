"""Lines that are typed or piped in, without stopping the event loop."""

import asyncio
from threading import Thread
from typing import TextIO


class Typed:
    """The lines of `source`, one at a time.

    A thread reads them: files, pipes and terminals can all be waited for in one, and the process may end meanwhile.
    """

    def __init__(self, source: TextIO) -> None:
        self._source = source
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        Thread(target=self._read, name="typed lines", daemon=True).start()

    async def next(self) -> str | None:
        """Wait for the next line, without its end; None when there are no more."""
        return await self._lines.get()

    def end(self) -> None:
        """Let whoever waits know that no more lines are wanted."""
        self._lines.put_nowait(None)

    def _read(self) -> None:
        for line in self._source:
            if not self._hand_over(line.strip()):
                return
        self._hand_over(None)

    def _hand_over(self, line: str | None) -> bool:
        try:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:  # the loop is closed: nobody waits any more
            return False
        return True
