"""The common part of both ends of a relay: their messages, and how they notice that it is lost.

Messages between nodes may be lost. So each has a number, and one that is missing ends the relay, as a lost connection
would: its users connect again.
"""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

import msgspec
from msgspec import Struct

from scoville_runtime.clock import Alarm, Clock

PIECE: Final = 64 * 1024
"""Bytes of one connection that are sent in one piece."""
MOST_BYTES: Final = 256 * 1024
"""Bytes of all connections in one message: a server of NATS takes no more than a megabyte."""
SIGN_SECONDS: Final = 0.25
"""Seconds between two signs of life, if nothing else is sent."""
LATE_SECONDS: Final = 0.5
"""An end that is so late itself has not heard the other one."""
SILENT_SECONDS: Final = 1.5
"""How long the other end may be silent: a user asks others after a second without an answer."""


class RelayMessage(Struct, frozen=True, array_like=True):
    """A message of one end.

    Attributes:
        number: How many messages it has sent before.
        parts: Bytes in order, each with the number of its connection.
        ended: Connections that end behind these bytes.
    """

    number: int
    parts: list[tuple[int, bytes]] = []
    ended: list[int] = []


class RelayedConnection(Protocol):
    """A connection at one end of a relay."""

    def take_bytes(self, data: bytes) -> None:
        """Take bytes from the other end."""

    def end_connection(self) -> None:
        """End, since the other end has ended it, or is lost."""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(RelayMessage).decode


class RelayEnd:
    """One end of a relay.

    Args:
        send: Sends a message to the other end; it may be lost.
        clock: The clock.

    Attributes:
        connections: Those that neither end has ended, by number.
        is_over: Whether nothing is sent any more.
    """

    def __init__(self, send: Callable[[bytes], object], clock: Clock) -> None:
        self.connections: dict[int, RelayedConnection] = {}
        self.is_over = False
        self._send = send
        self._clock = clock
        self._parts, self._ended = list[tuple[int, bytes]](), list[int]()
        self._is_due = False
        self._sent = self._received = 0
        self._signed = 0
        """How many messages were sent by the latest sign of life."""
        self._early: list[bytes] | None = []
        """Messages that have come before the beginning."""
        self._heard_at = self._signed_at = 0.0
        self._alarm: Alarm | None = None

    def begin_relay(self, patience: float = 0.0) -> None:
        """Begin to take messages; the first one may be late by `patience` seconds."""
        early, self._early = self._early or [], None
        self._signed_at = self._clock.seconds()
        self._heard_at = self._signed_at + patience
        self._give_sign()
        for message in early:
            self.take_message(message)
        self._end_if_done()

    def send_bytes(self, number: int, data: bytes) -> None:
        """Send bytes of a connection to the other end at the end of this turn of the loop."""
        if self.is_over:
            return
        for start in range(0, len(data), PIECE):
            self._parts.append((number, data[start : start + PIECE]))
        self._flush_soon()

    def note_end(self, number: int) -> None:
        """Tell the other end that a connection has ended here; a second call does nothing."""
        if self.connections.pop(number, None) is not None and not self.is_over:
            self._ended.append(number)
            self._flush_soon()

    def take_message(self, message: bytes) -> None:
        """Take a message of the other end; one that is missing before it ends the relay."""
        if self._early is not None:
            self._early.append(message)
            return
        if self.is_over:
            return
        try:
            found = _decode(message)
        except (msgspec.MsgspecError, ValueError):
            found = None
        if found is None or found.number != self._received:
            self.end_relay()
            return
        self._received += 1
        self._heard_at = max(self._heard_at, self._clock.seconds())
        for number, data in found.parts:
            if (connection := self.connections.get(number)) is not None:
                connection.take_bytes(data)
        for number in found.ended:
            if (connection := self.connections.pop(number, None)) is not None:
                connection.end_connection()
        self._end_if_done()

    def end_relay(self) -> None:
        """End all connections that are left, at the other end as well; a second call does nothing."""
        if self.is_over:
            return
        left, self.connections = self.connections, {}
        self._ended += left
        self._stop_relaying()
        for connection in left.values():
            connection.end_connection()

    def _flush_soon(self) -> None:
        if not self._is_due and self._early is None:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._flush_due)

    def _flush_due(self) -> None:
        self._is_due = False
        if not self.is_over:
            if self._parts or self._ended:
                self._send_waiting()
            self._end_if_done()

    def _send_waiting(self) -> None:
        """Send all waiting bytes, in messages of a size that the engine takes."""
        parts, ended, size = self._parts, self._ended, 0
        self._parts, self._ended = [], []
        first = 0
        for end, (_, data) in enumerate(parts):
            if size + len(data) > MOST_BYTES:
                self._send_message(parts[first:end], [])
                first, size = end, 0
            size += len(data)
        self._send_message(parts[first:], ended)

    def _send_message(self, parts: list[tuple[int, bytes]], ended: list[int]) -> None:
        message = RelayMessage(self._sent, parts, ended)
        self._sent += 1
        self._send(_encode(message))

    def _give_sign(self) -> None:
        now, before = self._clock.seconds(), self._signed_at
        self._signed_at = now
        if now - before > SIGN_SECONDS + LATE_SECONDS:
            # This process hung, as when it takes tables over: what has come meanwhile is read next.
            self._heard_at = max(self._heard_at, now)
        if now - self._heard_at > SILENT_SECONDS:
            self.end_relay()
            return
        if self._sent == self._signed:
            self._send_waiting()
        self._signed = self._sent
        self._alarm = self._clock.call_later(SIGN_SECONDS, self._give_sign)

    def _end_if_done(self) -> None:
        if not self.connections and not self._is_due and self._early is None:
            self._stop_relaying()

    def _stop_relaying(self) -> None:
        if self.is_over:
            return
        self.is_over = True
        if self._alarm is not None:
            self._alarm.cancel()
        # An end that never began has nobody to tell.
        if (self._parts or self._ended) and self._early is None:
            self._send_waiting()
