import asyncio
import contextlib
from collections.abc import AsyncIterator

import msgpack
import pytest

from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.read_scheduler import ReadScheduler
from scoville_server.net.tcp import TcpServer, open_server
from scoville_shared.errors import Code
from scoville_shared.protocol.messages import ByeNotice
from tests.support.clock import FakeClock
from tests.support.idle import wait_until_idle
from tests.support.process import CROWD, connect_at_once
from tests.support.server import until

from .doubles import HELLO, RecordingService


class Caller:
    """One TCP connection with plain MessagePack."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.unpacker = msgpack.Unpacker()

    async def ask(self, *message: object) -> list[object]:
        self.writer.write(msgpack.packb(message))
        return await self.hear()

    async def hear(self) -> list[object]:
        """The next message; an empty list at the end of the line."""
        while True:
            for message in self.unpacker:
                return list(message)
            data = await self.reader.read(4096)
            if not data:
                return []
            self.unpacker.feed(data)


@contextlib.asynccontextmanager
async def serving(
    limits: ConnectionLimits | None = None, service: RecordingService | None = None
) -> AsyncIterator[TcpServer]:
    server = await open_server(
        service or RecordingService(), "127.0.0.1", 0, ReadScheduler(limits or ConnectionLimits())
    )
    try:
        yield server
    finally:
        await server.close()


@contextlib.asynccontextmanager
async def calling(server: TcpServer) -> AsyncIterator[Caller]:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        yield Caller(reader, writer)
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def test_a_connecting_crowd_waits_to_be_accepted() -> None:
    async with serving() as server:
        assert connect_at_once(server.port) == CROWD


async def test_requests_are_answered_over_tcp() -> None:
    service = RecordingService()
    async with serving(service=service) as server, calling(server) as caller:
        assert (await caller.ask(*HELLO))[:3] == [1, 0, None]
        assert await caller.ask(0, 1, "ping", [{"payload": "hi"}]) == [1, 1, None, {"payload": "hi"}]
        assert server.connections == 1
        assert service.peer.address.startswith("127.0.0.1:")


async def test_garbage_ends_one_connection_and_nobody_else_notices() -> None:
    async with serving() as server, calling(server) as vandal, calling(server) as guest:
        await guest.ask(*HELLO)
        vandal.writer.write(b"\xdb\x40\x00\x00\x00" + b"x" * 1000)
        bye = await vandal.hear()

        assert bye[:2] == [2, "bye"]
        assert bye[2][0]["code"] == Code.FRAME_TOO_LARGE  # type: ignore[index]
        assert await vandal.hear() == []
        assert (await guest.ask(0, 1, "ping", []))[:3] == [1, 1, None]


async def test_one_connection_too_many_gets_a_message() -> None:
    async with serving(ConnectionLimits(total=1)) as server, calling(server) as first:
        await first.ask(*HELLO)
        async with calling(server) as second:
            [_, _, [bye]] = await second.hear()
            assert bye["code"] == Code.BUSY  # type: ignore[index]
            assert await second.hear() == []
        assert (await first.ask(0, 1, "ping", []))[:3] == [1, 1, None]


async def test_nobody_alone_keeps_all_others_out() -> None:
    async with serving(ConnectionLimits(per_address=1)) as server, calling(server) as first:
        await first.ask(*HELLO)
        async with calling(server) as second:
            [_, _, [bye]] = await second.hear()
            assert bye["code"] == Code.BUSY  # type: ignore[index]
        elsewhere = await asyncio.open_connection("127.0.0.1", server.port, local_addr=("127.0.0.2", 0))
        assert (await Caller(*elsewhere).ask(*HELLO))[:3] == [1, 0, None]
        elsewhere[1].close()


async def test_closing_says_goodbye_to_everybody_and_frees_the_port() -> None:
    service = RecordingService()
    server = await open_server(service, "127.0.0.1", 0)
    async with calling(server) as caller:
        await caller.ask(*HELLO)
        port = server.port
        closing = asyncio.ensure_future(server.close())
        [_, _, [bye]] = await caller.hear()
        await closing

        assert bye["code"] == Code.SHUTTING_DOWN  # type: ignore[index]
        assert await caller.hear() == []
        assert service.closed_connections == 1
        assert server.connections == 0
    again = await open_server(service, "127.0.0.1", port)
    await again.close()


@pytest.mark.parametrize("said", [b"", b"\x16\x03\x01", msgpack.packb(HELLO)[:3]], ids=["nothing", "TLS", "plain"])
async def test_closing_says_goodbye_to_those_who_have_just_come(said: bytes) -> None:
    """They wait for their first bytes, or for a turn: without a word they could not tell a restart from no server."""
    server = await open_server(RecordingService(), "127.0.0.1", 0)
    async with calling(server) as caller:
        caller.writer.write(said)
        await until(lambda: bool(server._arrivals.waiting))
        await server.close(bye=ByeNotice(code=Code.RESTARTING, message="It restarts."))
        [_, _, [bye]] = await caller.hear()
        assert bye["code"] == Code.RESTARTING  # type: ignore[index]
        assert await caller.hear() == []


@contextlib.asynccontextmanager
async def leaving_users(clock: FakeClock) -> AsyncIterator[tuple[TcpServer, "asyncio.Task[None]", Caller, Caller]]:
    """A port that waits until two users have left, of whom the second one has sent nothing."""
    scheduler = ReadScheduler(ConnectionLimits(), clock.skip_empty_sleeps())
    server = await open_server(RecordingService(), "127.0.0.1", 0, scheduler)
    try:
        async with calling(server) as anna, calling(server) as silent:
            await anna.ask(*HELLO)
            await until(lambda: len(server._arrivals.waiting) == 1)
            yield server, asyncio.create_task(server.wait_until_left(1.0)), anna, silent
    finally:
        await server.close()


async def test_a_port_waits_until_all_have_left_those_who_sent_nothing_as_well() -> None:
    clock = FakeClock()
    async with leaving_users(clock) as (_, waiting, anna, silent):
        anna.writer.close()
        await wait_until_idle()
        assert not waiting.done()
        silent.writer.close()
        # By a signal, and at no time of the clock.
        await waiting
        assert clock.time == 0


async def test_a_port_waits_no_longer_than_it_is_to() -> None:
    clock = FakeClock()
    async with leaving_users(clock) as (_, waiting, *_others):
        await wait_until_idle()
        await clock.elapse(1.0)
        await waiting


async def test_a_port_at_which_nobody_is_waits_for_nobody() -> None:
    async with serving() as server:
        await server.wait_until_left(1.0)
