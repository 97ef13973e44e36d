"""The first bytes of a connection: those that came before its transport was made are read first."""

import asyncio
from typing import Any

import pytest

from scoville_server.net.tls.first_byte import FirstByte
from tests.server.net.doubles import RecordingTransport
from tests.support.idle import wait_until_idle


class RecordingDriver(asyncio.Protocol):
    """A driver in place of a connection's."""

    closing, local = False, True

    def __init__(self) -> None:
        self.received: list[bytes] = []

    def data_received(self, data: bytes) -> None:
        self.received.append(data)


class PausingTransport(RecordingTransport):
    """A transport that changes its protocol, and whose reading can be paused."""

    def set_protocol(self, protocol: Any) -> None:
        self.protocol = protocol

    def is_closing(self) -> bool:
        return bool(self.ended)

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True


@pytest.mark.parametrize("comes_first", [False, True])
async def test_early_bytes_are_read_before_later_ones(comes_first: bool) -> None:
    driver, transport = RecordingDriver(), PausingTransport("127.0.0.1")
    transport.connect(FirstByte(driver, None, plain_text=True, early=b"hello "))  # type: ignore[arg-type]
    if comes_first:  # uvloop reads a socket in the turn in which its transport is made
        transport.resume_reading()
        transport.protocol.data_received(b"and a move")
        await wait_until_idle()
    else:
        await wait_until_idle()
        transport.protocol.data_received(b"and a move")
    assert b"".join(driver.received) == b"hello and a move"
    assert transport.reading
