"""The pair of transports behaves like a socket, as far as protocols can tell."""

import asyncio

from scoville_client.transport.in_process import MemoryTransport, connect_in_memory


class End(asyncio.Protocol):
    """Records received data."""

    transport: MemoryTransport

    def __init__(self) -> None:
        self.got = b""
        self.lost = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, MemoryTransport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.got += data

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost += 1


async def turns() -> None:
    for _ in range(4):
        await asyncio.sleep(0)


def pair() -> tuple[End, End]:
    left, right = End(), End()
    connect_in_memory(left, right)
    return left, right


async def test_bytes_arrive_in_order_a_turn_later() -> None:
    left, right = pair()
    left.transport.write(b"one ")
    left.transport.write(bytearray(b"two"))
    assert right.got == b""
    await turns()
    assert right.got == b"one two"


async def test_slow_reader_finds_everything_later() -> None:
    left, right = pair()
    right.transport.pause_reading()
    left.transport.write(b"hello")
    await turns()
    assert (right.got, left.transport.get_write_buffer_size()) == (b"", 5)
    right.transport.resume_reading()
    await turns()
    assert right.got == b"hello"


async def test_closing_sends_what_was_written_and_ends_both() -> None:
    left, right = pair()
    left.transport.write(b"bye")
    left.transport.close()
    await turns()
    assert (right.got, left.lost, right.lost) == (b"bye", 1, 1)
    assert right.transport.is_closing()
