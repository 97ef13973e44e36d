"""Pair of transports inside one process, so that practice runs the real protocol."""

import asyncio
from collections import deque
from typing import Any


class MemoryTransport(asyncio.Transport):
    """One end of a pair: the other end's protocol receives the data one turn of the loop later."""

    def __init__(self, protocol: asyncio.BaseProtocol) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._protocol = protocol
        self._other: MemoryTransport | None = None
        self._arrived: deque[bytes] = deque()
        self._reading = True
        self._closing = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes; after `close` they are dropped."""
        if not self._closing and self._other is not None:
            # One turn later, as with a socket: neither end runs inside the other's call.
            self._loop.call_soon(self._other._arrive, bytes(data))  # noqa: SLF001 - the same class

    def close(self) -> None:
        """Close both ends after everything that was written."""
        if not self._closing:
            self._closing = True
            # Behind what was written, which is on its way by `call_soon` too.
            self._loop.call_soon(self._gone)

    def abort(self) -> None:
        """Close both ends."""
        self.close()

    def is_closing(self) -> bool:
        """Whether `close` was called here or at the other end."""
        return self._closing

    def pause_reading(self) -> None:
        """Keep arriving bytes until `resume_reading`."""
        self._reading = False

    def resume_reading(self) -> None:
        """Receive again, first the kept bytes."""
        self._reading = True
        self._loop.call_soon(self._deliver)

    def is_reading(self) -> bool:
        """Whether arriving bytes are received."""
        return self._reading and not self._closing

    def get_extra_info(self, name: str, default: Any = None) -> Any:  # noqa: ARG002 - nothing is known of memory
        """Return the default: there is no socket and no address."""
        return default

    def get_write_buffer_size(self) -> int:
        """Return the number of bytes that the other end has not received yet."""
        return 0 if self._other is None else sum(map(len, self._other._arrived))  # noqa: SLF001 - the same class

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Do nothing: both ends are in this process and read."""

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Return the protocol of this end."""
        return self._protocol

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Replace the protocol of this end."""
        self._protocol = protocol

    def _arrive(self, data: bytes) -> None:
        self._arrived.append(data)
        self._deliver()

    def _deliver(self) -> None:
        while self._arrived and self.is_reading():
            assert isinstance(self._protocol, asyncio.Protocol)
            self._protocol.data_received(self._arrived.popleft())

    def _gone(self) -> None:
        other, self._other = self._other, None
        self._protocol.connection_lost(None)
        if other is not None:
            other._other = None  # noqa: SLF001 - the same class
            other.close()


def connect(one: asyncio.BaseProtocol, other: asyncio.BaseProtocol) -> None:
    """Connect two protocols as by a socket."""
    left, right = MemoryTransport(one), MemoryTransport(other)
    left._other, right._other = right, left  # noqa: SLF001 - a pair is made here
    other.connection_made(right)
    one.connection_made(left)
