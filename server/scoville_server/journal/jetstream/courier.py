"""Messages between nodes over the servers of NATS, beside the journal."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.journal.jetstream.client import CLOSE_SECONDS, connect_client
from scoville_server.journal.jetstream.engine import Place

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg


class EngineCourier:
    """A `Courier` over the servers of NATS, beside their logs: a message that nobody hears is lost."""

    def __init__(self, place: Place, clock: Clock = SYSTEM) -> None:
        self._place = place
        self._clock = clock
        # No subject of the stream, or each beat would be kept.
        self._subject = f"beats.{place.name}"
        self._client: Client | None = None
        self._handlers: list[Callable[[bytes], None]] = []
        self._sending: set[asyncio.Task[None]] = set()

    async def connect(self) -> None:
        """Connect. Raises JournalError."""

        async def note(message: "Msg") -> None:
            for handle in self._handlers:
                handle(message.data)

        self._client = await connect_client(self._place.servers, self._place.ca_file, self._clock)
        await self._client.subscribe(self._subject, cb=note)

    @property
    def is_connected(self) -> bool:
        """Whether a server is reached."""
        return self._client is not None and self._client.is_connected

    def send_message(self, message: bytes) -> None:
        """Send a message to all nodes."""
        if self._client is not None and self._client.is_connected:
            task = asyncio.get_running_loop().create_task(self._send(self._client, message))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    async def _send(self, client: "Client", message: bytes) -> None:
        from nats import errors

        with suppress(errors.Error, OSError):
            await client.publish(self._subject, message)

    def hear_messages(self, handle: Callable[[bytes], None]) -> None:
        """Call a function for every message from now on."""
        self._handlers.append(handle)

    async def close(self) -> None:
        """Send what waits, and disconnect."""
        await asyncio.gather(*self._sending, return_exceptions=True)
        client, self._client = self._client, None
        if client is not None:
            closing = asyncio.ensure_future(client.close())
            await self._clock.wait(closing, seconds=CLOSE_SECONDS)
            closing.cancel()
