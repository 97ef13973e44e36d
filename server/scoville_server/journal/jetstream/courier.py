"""Messages between nodes over the servers of NATS, beside the journal."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.journal.jetstream.client import CLOSE_SECONDS, connect_client
from scoville_server.journal.jetstream.engine import Place

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg

_NO_RESPONDERS: Final = "503"
FLUSH_SECONDS: Final = 0.1
"""How long a node that ends waits for a server of NATS, which may be away as well."""


class Received(NamedTuple):
    """A message to a subject.

    Attributes:
        data: The content.
        reply: The subject for an answer, empty for none.
        nobody_listens: Whether the engine says by it that nobody has subscribed to what was asked.
    """

    data: bytes
    reply: str
    nobody_listens: bool


class EngineCourier:
    """A `Courier` over the servers of NATS, beside their logs: a message that nobody hears is lost.

    Attributes:
        on_reconnected: Is called when a lost connection is made again: what was sent meanwhile was not heard.
    """

    def __init__(self, place: Place, clock: Clock = SYSTEM) -> None:
        self.place = place
        self.clock = clock
        self.on_reconnected: Callable[[], object] = lambda: None
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

        self._client = await connect_client(
            self.place.servers,
            self.place.ca_file,
            self.clock,
            on_reconnected=lambda: self.on_reconnected(),  # noqa: PLW0108 - it is set later
        )
        await self._client.subscribe(self._subject, cb=note)

    @property
    def is_connected(self) -> bool:
        """Whether a server is reached."""
        return self._client is not None and self._client.is_connected

    @property
    def most_bytes(self) -> int:
        """How long one message may be."""
        return 0 if self._client is None else self._client.max_payload

    def send_message(self, message: bytes) -> None:
        """Send a message to all nodes."""
        self.post_message(self._subject, message)

    def post_message(self, subject: str, message: bytes, reply: str = "") -> None:
        """Send a message to those who have subscribed to its subject, after all earlier ones."""
        if self._client is not None and self._client.is_connected:
            task = asyncio.get_running_loop().create_task(self._send(self._client, subject, message, reply))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    async def flush_messages(self) -> None:
        """Wait until a server has the sent messages, if it takes them within a moment."""
        client = self._client
        if client is not None and client.is_connected:
            flushing = asyncio.ensure_future(self._flush_client(client))
            await self.clock.wait(flushing, seconds=FLUSH_SECONDS)
            flushing.cancel()

    async def _flush_client(self, client: "Client") -> None:
        from nats import errors

        await asyncio.gather(*self._sending, return_exceptions=True)
        with suppress(errors.Error, OSError):
            await client.flush()

    async def _send(self, client: "Client", subject: str, message: bytes, reply: str) -> None:
        from nats import errors

        # These messages may be lost: beats come again, and requests are repeated.
        with suppress(errors.Error, OSError):
            await client.publish(subject, message, reply)

    def hear_messages(self, handle: Callable[[bytes], None]) -> None:
        """Call a function for every message from now on."""
        self._handlers.append(handle)

    def new_inbox(self) -> str:
        """Return a subject that nobody else has."""
        assert self._client is not None, "it is connected"
        return self._client.new_inbox()

    async def subscribe_subject(
        self, subject: str, handle: Callable[[Received], object]
    ) -> Callable[[], Awaitable[None]]:
        """Call a function for every message to a subject, one after the other; returns a function that ends that."""
        from nats import errors

        async def note(message: "Msg") -> None:
            nobody = (message.headers or {}).get("Status") == _NO_RESPONDERS
            handle(Received(message.data, message.reply, nobody))

        assert self._client is not None, "it is connected"
        subscription = await self._client.subscribe(subject, cb=note)

        async def unsubscribe() -> None:
            # The engine forgets the subscriptions of a lost connection.
            with suppress(errors.Error, OSError):
                await subscription.unsubscribe()

        return unsubscribe

    async def close(self) -> None:
        """Send waiting messages, and disconnect."""
        sending = asyncio.gather(*self._sending, return_exceptions=True)
        # Bounded: that a server of NATS takes no bytes any more, its client finds out by pings, some seconds later.
        await self.clock.wait(sending, seconds=CLOSE_SECONDS)
        sending.cancel()
        client, self._client = self._client, None
        if client is not None:
            closing = asyncio.ensure_future(client.close())
            await self.clock.wait(closing, seconds=CLOSE_SECONDS)
            closing.cancel()
