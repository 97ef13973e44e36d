"""Test doubles: a transport and a service that record their calls."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgpack

from scoville_runtime.clock import Clock
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.driver.driver import ConnectionDriver
from scoville_server.net.peer import End, Peer
from scoville_server.net.read_scheduler import ReadScheduler
from scoville_shared.protocol.messages import (
    METHOD_OF,
    HelloRequest,
    Params,
    PingReply,
    PingRequest,
    PresenceNotice,
    Reply,
)
from tests.support.client import make_welcome

PRESENCE = PresenceNotice(table="t", seat=1, connected=True)
HELLO = [0, 0, "hello", [{"protocol": 1}]]


class RecordingTransport(asyncio.Transport):
    """A transport whose other end reads only when the test says so."""

    def __init__(self, host: str = "") -> None:
        super().__init__({"peername": (host, 5757)} if host else None)
        self.writes: list[bytes] = []
        self.unread = 0
        self.reading = True
        self.ended = ""
        self.high = 0
        self.closed, self.aborted = asyncio.Event(), asyncio.Event()

    def connect(self, protocol: Any) -> None:
        self.protocol: Any = protocol
        protocol.connection_made(self)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self.high = high or 0

    def get_write_buffer_size(self) -> int:
        return self.unread

    def write(self, data: Any) -> None:
        assert not self.ended, "nothing is written to a closed transport"
        before, self.unread = self.unread, self.unread + len(data)
        self.writes.append(bytes(data))
        if before <= self.high < self.unread:
            self.protocol.pause_writing()

    def read_everything(self) -> None:
        paused, self.unread = self.unread > self.high, 0
        if paused:
            self.protocol.resume_writing()

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def close(self) -> None:
        self.ended = self.ended or "closed"
        self.closed.set()

    def abort(self) -> None:
        self.ended = "aborted"
        self.aborted.set()
        self.protocol.connection_lost(None)

    def messages(self) -> list[Any]:
        """Everything written so far, decoded."""
        unpacker = msgpack.Unpacker()
        unpacker.feed(b"".join(self.writes))
        return list(unpacker)


Handler = Callable[[Params], Reply | Awaitable[Reply]]


class RecordingService:
    """A service for one connection, whose answers the test chooses."""

    def __init__(self, handler: Handler | None = None) -> None:
        self.handler = handler or answer
        self.asked: list[Params] = []
        self.closed_connections = 0
        self.refusals: list[tuple[str | None, str]] = []

    def accept_connection(self, peer: Peer) -> "RecordingService":
        self.peer = peer
        return self

    def handle_request(self, params: Params) -> Reply | Awaitable[Reply]:
        self.asked.append(params)
        return make_welcome() if isinstance(params, HelloRequest) else self.handler(params)

    def note_refusal(self, params: Params | None, code: str) -> None:
        self.refusals.append((params and METHOD_OF[type(params)], code))

    def note_answer(self, params: Params, began: float) -> None:
        """Count nothing."""

    def note_malformed_request(self, code: str) -> None:
        self.refusals.append(("malformed", code))

    def release_connection(self, end: End) -> None:
        self.closed_connections += 1
        self.end = end


def answer(params: Params) -> Reply:
    assert isinstance(params, PingRequest)
    return PingReply(payload=params.payload)


class Ticking:
    """A clock that goes on by `step` seconds each time it is read; 0 makes it stand still."""

    def __init__(self, step: float = 0.0) -> None:
        self.seconds = 0.0
        self.step = step

    def __call__(self) -> float:
        self.seconds += self.step
        return self.seconds


def connected(
    service: RecordingService,
    limits: ConnectionLimits | None = None,
    *,
    greeted: bool = True,
    scheduler: ReadScheduler | None = None,
    transport: RecordingTransport | None = None,
) -> RecordingTransport:
    """Connect to a server and say hello, unless `greeted` is false; time stands still without a scheduler."""
    transport = transport or RecordingTransport()
    limits = limits or ConnectionLimits()
    transport.connect(ConnectionDriver(service, limits, scheduler or ReadScheduler(limits, Clock(seconds=Ticking()))))
    if greeted:
        say(transport, HELLO)
        transport.writes.clear()
        transport.unread = 0
    return transport


def say(transport: RecordingTransport, *messages: Any) -> None:
    """Let the client's bytes arrive, all at once."""
    transport.protocol.data_received(b"".join(map(msgpack.packb, messages)))


async def turn() -> None:
    """Run the event loop until all due callbacks are done."""
    for _ in range(4):
        await asyncio.sleep(0)


def ping(msgid: int, payload: str = "") -> list[object]:
    return [0, msgid, "ping", [{"payload": payload}]]


def codes(transport: RecordingTransport) -> list[tuple[int, str | None]]:
    """The answers to requests: each msgid with the error's code, None for a reply."""
    return [(m[1], m[2] and m[2]["code"]) for m in transport.messages() if m[0] == 1]


def byes(transport: RecordingTransport) -> list[str]:
    return [m[2][0]["code"] for m in transport.messages() if m[:2] == [2, "bye"]]
