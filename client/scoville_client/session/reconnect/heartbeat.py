"""Heartbeat of a connection: pings that notice a loss without any other sign."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from scoville_client.transport.base import Link, LinkError
from scoville_runtime.clock import Clock
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import PingRequest

HEARTBEAT_SECONDS = 5.0
"""Seconds between two pings: a connection can be lost without any sign."""


class Heartbeat:
    """Pings a link now and then, from its opening until `stop`.

    Args:
        clock: Clock for the pauses.
        answered: Called after each answer.
        lost: Called with the reason when there is no answer; a link that is lost reports that only once.
    """

    def __init__(self, clock: Clock, answered: Callable[[], None], lost: Callable[[str], None]) -> None:
        self._clock = clock
        self._answered = answered
        self._lost = lost
        self._task: asyncio.Task[None] | None = None

    def start(self, link: Link) -> None:
        """Ping a link that has been opened."""
        self._task = asyncio.get_running_loop().create_task(self._run(link))

    def stop(self) -> None:
        """Ping no more."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self, link: Link) -> None:
        while True:
            await self._clock.sleep(HEARTBEAT_SECONDS)
            try:
                with suppress(ScovilleError):  # a refusal is a sign of life
                    await link.call(PingRequest())
                self._answered()
            except LinkError as error:
                self._lost(error.message)
                return
