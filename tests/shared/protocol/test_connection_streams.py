"""Streams of bytes at a connection: any split, any bytes, and the memory of its buffers."""

import tracemalloc
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.connection import (
    Answer,
    ClientConnection,
    Fault,
    Malformed,
    Notification,
    Request,
    ServerConnection,
)
from scoville_shared.protocol.messages import (
    METHODS,
    NOTICES,
    ByeNotice,
    HelloRequest,
    PingRequest,
    PresenceNotice,
)
from tests.shared.protocol.streams import pack_messages, read_stream

STREAM = pack_messages(
    [0, 0, "hello", [{"protocol": 1, "name": "Zoë"}]],
    [0, 300, "ping", []],
    [0, 70_000, "table.burn", []],
    [2, "noise", [{}]],
    [0, 1, "table.play", [{"table": "t", "move": {"card": 63}}]],
    [1, 1, None, None],
)


def described(found: Request | Malformed | Notification | Fault) -> tuple[Any, ...]:
    if isinstance(found, Notification):
        return (found,)
    first, second = found
    return first, str(second) if isinstance(second, ScovilleError) else second


@pytest.mark.parametrize("split", range(len(STREAM) + 1))
def test_every_split_of_a_stream_gives_the_same_messages(split: int) -> None:
    connection = ServerConnection()
    connection.feed_bytes(STREAM[:split])
    found = list(connection.read_incoming())
    connection.feed_bytes(STREAM[split:])
    found += connection.read_incoming()

    assert list(map(described, found)) == list(map(described, read_stream(STREAM)))


def test_a_lone_request_is_limited_too() -> None:
    fits, too_large = (
        pack_messages([0, 1, "ping", [{"payload": "x" * 20}]]),
        pack_messages([0, 2, "ping", [{"payload": "x" * 60}]]),
    )
    connection = ServerConnection(limit=60)
    connection.feed_bytes(fits)
    assert [*connection.read_incoming()] == [(1, PingRequest(payload="x" * 20))]
    connection.feed_bytes(too_large)
    (fault,) = connection.read_incoming()
    assert isinstance(fault, Fault)
    assert fault.code == Code.FRAME_TOO_LARGE


def test_a_request_behind_a_partial_one_is_read() -> None:
    first, second = pack_messages([0, 1, "ping", [{"payload": "a"}]]), pack_messages([0, 2, "ping", [{"payload": "b"}]])
    connection = ServerConnection()
    connection.feed_bytes(first[:-1])
    assert [*connection.read_incoming()] == []
    connection.feed_bytes(first[-1:])
    connection.feed_bytes(second)
    assert [*connection.read_incoming()] == [(1, PingRequest(payload="a")), (2, PingRequest(payload="b"))]


def test_asking_can_stop_anywhere_and_go_on() -> None:
    requests = [[0, n, "ping", []] for n in range(150)]
    server, client = ServerConnection(), ClientConnection()
    server.feed_bytes(pack_messages(*requests))
    found = [next(server.read_incoming()) for _ in range(100)]
    server.feed_bytes(pack_messages([2, "noise", []], [0, 150, "ping", []]))

    read = [*found, *server.read_incoming()]
    assert [each[0] for each in read if isinstance(each, tuple)] == [*range(151)]
    assert read.count(Notification()) == 1

    calls = [client.call_method(PingRequest()) for _ in range(150)]
    client.feed_bytes(pack_messages(*([1, n, None, {"payload": ""}] for n in calls)))
    heard = [next(client.read_incoming()) for _ in range(100)]
    assert [answer.msgid for answer in [*heard, *client.read_incoming()] if isinstance(answer, Answer)] == calls


@given(st.lists(st.binary(max_size=200), max_size=8))
@example([b"\x94\x00\x05\xa4ping\x91\x81\x91\x80\x01"])
@example([b"\x94\x00\x05\xaatable.play\x91\x82\xa5table\xa1t\xa4move\x81\xa1a\xd7\xff" + b"\xff" * 8])
@example([b"\x94\x00\x05\xaatable.play\x91\x82\xa5table\xa1t\xa4move\x81\xa1a\x81\x80\x01"])
def test_no_bytes_make_either_end_raise(pieces: list[bytes]) -> None:
    server, client = ServerConnection(), ClientConnection()
    client.call_method(PingRequest())
    for piece in pieces:
        for connection in (server, client):
            connection.feed_bytes(piece)
            assert all(isinstance(found, tuple | ByeNotice | PresenceNotice) for found in connection.read_incoming())


near = st.one_of(st.none(), st.booleans(), st.integers(-1, 3), st.sampled_from([*METHODS, *NOTICES, "t"]), st.floats())


nested = st.recursive(near, lambda x: st.lists(x, max_size=5) | st.dictionaries(near, x, max_size=4), max_leaves=20)


@given(st.tuples(st.sampled_from([0, 1, 2]), near, near, nested) | nested)
def test_no_message_makes_either_end_raise(message: Any) -> None:
    server, client = ServerConnection(), ClientConnection()
    for _ in range(4):
        client.call_method(HelloRequest(protocol=1))
    for connection in (server, client):
        connection.feed_bytes(pack_messages(message))
        assert len(list(connection.read_incoming())) <= 1


@pytest.mark.parametrize("read", [0, 1, 100, 20_000])
def test_a_connection_counts_all_the_memory_of_its_buffers(read: int) -> None:
    """The copy of the buffer and the messages that are being read count: a flood made them ten times as large."""
    message = pack_messages([0, 1, "ping", [{"payload": "x" * 50}]])
    messages = 250_000 // len(message)
    # The first message of a process makes the decoders of all methods, which no connection holds.
    warm = ServerConnection()
    warm.feed_bytes(message)
    next(warm.read_incoming())
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        connection = ServerConnection()
        connection.feed_bytes(message * messages + message[:-1])
        incoming = connection.read_incoming()
        for _ in range(min(read, messages)):
            next(incoming)
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert taken <= connection.buffered_bytes + 64 * 1024


def test_a_connection_that_reads_no_more_holds_nothing() -> None:
    connection = ServerConnection()
    connection.feed_bytes(pack_messages([0, 1, "ping", []]) * 1000 + b"\x94")
    incoming = connection.read_incoming()
    next(incoming)
    connection.stop_reading()
    assert (connection.buffered_bytes, connection.unread, list(incoming)) == (0, False, [])
