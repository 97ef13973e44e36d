"""No message of a client costs the server much: what a decoder builds of the largest one is bounded."""

import tracemalloc
from collections.abc import Iterator

import msgpack
import msgspec
import pytest

from scoville_shared.errors import Code
from scoville_shared.protocol.connection import (
    FROM_CLIENT,
    Fault,
    Malformed,
    Notification,
    Request,
    ServerConnection,
)
from scoville_shared.protocol.decoding import OPEN_PARAMS
from scoville_shared.protocol.messages import METHODS

MANY = 60_000
CONTENTS: list[list[object]] = [[{}] * MANY, [[]] * MANY, [7] * MANY, ["a"] * (MANY // 2)]
MOST_BUILT = 12 * FROM_CLIENT
"""Bytes of memory; 60,000 empty maps take 4 MiB and several milliseconds."""

UNUSUAL = {
    "no request": b"\xdc\xff\x00" + b"\x01" * 0xFF00,
    "request of many items": b"\xdc\xff\x00\x00" + b"\x01" * 0xFEFF,
    "notification of many items": b"\xdc\xff\x00\x02" + b"\x80" * 0xFEFF,
    "map": b"\xde\x7f\x00" + b"\x01" * 0xFE00,
    "many params": msgpack.packb([0, 1, "table.play", [{}] * MANY]),
    "unknown method": msgpack.packb([0, 1, "table.eat", [{}] * MANY]),
}


def packed(method: str, params: object) -> bytes:
    return bytes(msgspec.msgpack.encode([0, 1, method, [params]]))


def large_messages(method: str) -> Iterator[bytes]:
    """Yield messages that have as much in one field as a message holds."""
    for field in (*(field.name for field in msgspec.structs.fields(METHODS[method].params)), "unknown"):
        for content in CONTENTS:
            yield packed(method, {field: content})
            yield packed(method, {field: {"x": content}})


def read(message: bytes) -> tuple[list[object], int]:
    """Decode a message; return what came of it, and how many bytes of memory it took at most beside the message."""
    connection = ServerConnection()
    connection.feed_bytes(message)
    tracemalloc.start()
    try:
        return [*connection.read_incoming()], tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("method", METHODS)
def test_large_params_are_refused_before_much_of_them_is_built(method: str) -> None:
    read(packed(method, {}))  # readers are made when they are first needed
    for message in large_messages(method):
        check_refused(message)


@pytest.mark.parametrize("message", UNUSUAL.values(), ids=UNUSUAL)
def test_unusual_large_messages_are_refused_early(message: bytes) -> None:
    read(message)
    check_refused(message)


def check_refused(message: bytes) -> None:
    assert len(message) <= FROM_CLIENT
    found, built = read(message)

    assert [type(message) in (Malformed, Fault, Notification) for message in found] == [True]
    assert built < MOST_BUILT, message[:64]


@pytest.mark.parametrize(
    ("method", "field"),
    [("table.play", "move"), ("table.create", "options"), ("account.save_settings", "client_settings")],
)
def test_params_with_a_map_of_any_content_have_a_size(method: str, field: str) -> None:
    params = {"table.play": {"table": "x"}, "table.create": {"game": "no_thanks", "seat_count": 3}}.get(method, {})
    filled = {**params, field: {"x": ""}}
    spare = OPEN_PARAMS - len(msgpack.packb([filled])) - 2
    largest, larger = ({**params, field: {"x": "a" * (spare + more)}} for more in (0, 1))
    assert len(msgpack.packb([largest])) == OPEN_PARAMS

    [taken], _ = read(packed(method, largest))
    [refused], _ = read(packed(method, larger))

    assert isinstance(taken, tuple)
    request: Request = taken
    assert getattr(request[1], field) == largest[field]
    assert isinstance(refused, Malformed)
    assert refused.error.code == Code.BAD_PARAMS
    assert f"{OPEN_PARAMS:,} bytes" in refused.error.message
