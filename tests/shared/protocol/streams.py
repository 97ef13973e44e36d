"""Streams of MessagePack-RPC messages, as bytes for a server's end."""

from typing import Any

import msgpack

from scoville_shared.protocol.connection import Fault, Malformed, Notification, Request, ServerConnection


def pack_messages(*messages: Any) -> bytes:
    """Pack messages behind each other."""
    return b"".join(map(msgpack.packb, messages))


def read_stream(data: bytes) -> list[Request | Malformed | Notification | Fault]:
    """Return what a server finds in a stream."""
    connection = ServerConnection()
    connection.feed_bytes(data)
    return list(connection.read_incoming())
