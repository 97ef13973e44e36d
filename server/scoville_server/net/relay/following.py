"""The end of a relay at the node that follows: transports whose bytes go to, and come from, the node that leaves."""

import asyncio
from typing import Any, cast

from scoville_server.net.relay.ends import RelayEnd


class RelayedTransport(asyncio.Transport):
    """The transport of one connection, whose client is connected to the node that leaves."""

    def __init__(self, relay: "FollowingRelay", number: int) -> None:
        super().__init__()
        self._relay = relay
        self._number = number
        self._protocol: asyncio.Protocol | None = None
        self._is_closing = self._is_paused = False
        self._unread = b""

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = cast("asyncio.Protocol", protocol)
        # What has come before.
        self.resume_reading()

    @property
    def has_unread(self) -> bool:
        """Whether something has come that nobody has read."""
        return bool(self._unread)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not self._is_closing:
            self._relay.send_bytes(self._number, bytes(data))

    def get_write_buffer_size(self) -> int:
        """Return nothing: the node that leaves drops clients that do not read."""
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Note nothing, for the same reason."""

    def get_extra_info(self, name: str, default: Any = None) -> Any:  # noqa: ARG002 - there is no socket
        return default

    def is_closing(self) -> bool:
        return self._is_closing

    def pause_reading(self) -> None:
        self._is_paused = True

    def resume_reading(self) -> None:
        self._is_paused = False
        if self._unread:
            # In a turn of its own, as a socket's bytes: the reader may pause again before.
            asyncio.get_running_loop().call_soon(self._read_on)

    def close(self) -> None:
        if not self._is_closing:
            self._relay.note_end(self._number)
            self.end_connection()

    def abort(self) -> None:
        self.close()

    def take_bytes(self, data: bytes) -> None:
        self._unread += data
        self._read_on()

    def _read_on(self) -> None:
        if self._unread and self._protocol is not None and not self._is_paused and not self._is_closing:
            data, self._unread = self._unread, b""
            self._protocol.data_received(data)

    def end_connection(self) -> None:
        if not self._is_closing:
            self._is_closing = True
            asyncio.get_running_loop().call_soon(self._lose_connection)

    def _lose_connection(self) -> None:
        protocol, self._protocol = self._protocol, None
        if protocol is not None:
            protocol.connection_lost(None)


class FollowingRelay(RelayEnd):
    """The relay of the node that follows, until it has sent all users on."""

    def open_connection(self, number: int) -> RelayedTransport:
        """Return the transport of a connection; nothing is read from it before the beginning."""
        transport = self.connections[number] = RelayedTransport(self, number)
        return transport
