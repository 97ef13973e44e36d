from typing import Any

import msgpack
import pytest

from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.connection import (
    Fault,
    Malformed,
    Notification,
    ServerConnection,
)
from scoville_shared.protocol.messages import (
    METHODS,
    ListTablesRequest,
    PingReply,
    PingRequest,
    PlayRequest,
    PresenceNotice,
)
from tests.shared.protocol.streams import pack_messages, read_stream


def unpack(data: bytes) -> list[Any]:
    unpacker = msgpack.Unpacker()
    unpacker.feed(data)
    return list(unpacker)


def refused(message: Any) -> tuple[int, str]:
    [(msgid, error)] = read_stream(pack_messages(message))
    assert isinstance(error, ScovilleError)
    assert error.message
    return msgid, error.code


# --- the server's end -----------------------------------------------------------------------------------


def test_requests_come_out_typed() -> None:
    move = [0, 2**32 - 1, "table.play", [{"table": "t", "move": {"card": 63}, "nth": 4}]]

    assert read_stream(pack_messages([0, 7, "ping", [{"payload": "hi"}]], move)) == [
        (7, PingRequest(payload="hi")),
        (2**32 - 1, PlayRequest(table="t", move={"card": 63}, nth=4)),
    ]


@pytest.mark.parametrize("params", [[], [{}], None])
def test_a_parameterless_method_takes_nil_or_an_empty_map(params: Any) -> None:
    assert read_stream(pack_messages([0, 1, "table.list", params])) == [(1, ListTablesRequest())]


@pytest.mark.parametrize(
    "params",
    [
        pytest.param([], id="a missing field"),
        pytest.param([{}], id="a missing field in a map"),
        pytest.param([{"table": 3}], id="a wrong type"),
        pytest.param([{"table": "t", "seat": -1}], id="a value out of range"),
        pytest.param([{"table": "t", "nonce_hash": "xyz"}], id="a hash that is not hex"),
        pytest.param([{"table": "t", "colour": "red"}], id="an unknown key"),
        pytest.param([{"table": "t"}, {}], id="two maps"),
        pytest.param({"table": "t"}, id="a map without its array"),
        pytest.param(["t"], id="positional"),
        pytest.param([{1: "t"}], id="a key that is no text"),
        pytest.param([{"table": "t" * 65}], id="a text too long"),
    ],
)
def test_wrong_params_fail_their_request(params: Any) -> None:
    assert refused([0, 5, "table.join", params]) == (5, Code.BAD_PARAMS)


@pytest.mark.parametrize(
    ("params", "sentence", "field"),
    [
        ({"table": "t", "seat": "left"}, "seat must be a whole number or nil, not text.", "seat"),
        ({"seat": 1}, "table is missing.", "table"),
        ({}, "table is missing.", "table"),
        ({"table": "t", "sate": 1}, "there is no sate.", "sate"),
        ({"table": "t" * 65}, "table must have at most 64 characters.", "table"),
        ({"table": None}, "table must be text, not nil.", "table"),
        ({"table": "t", "nonce_hash": "x" * 64}, "nonce_hash does not have the form that it must have.", "nonce_hash"),
        ({1: "t"}, "a key must be text, not a whole number.", None),
        ("t", "it must be a map, not text.", None),
    ],
)
def test_bad_params_name_the_param_that_is_wrong(params: Any, sentence: str, field: str | None) -> None:
    [(_, error)] = read_stream(pack_messages([0, 5, "table.join", [params]]))
    assert isinstance(error, ScovilleError)
    assert error.message == f"table.join: {sentence}"
    named = {} if field is None else {"field": field}
    unknown = {"unknown": True} if field == "sate" else {}
    assert error.data == {"method": "table.join", **named, **unknown}


def test_bad_params_inside_others_are_named_with_dots() -> None:
    inner = {"game": "no_thanks", "seat_count": 3, "clock": {"move_ms": 0}}
    [(_, error)] = read_stream(pack_messages([0, 5, "table.create", [inner]]))
    assert isinstance(error, ScovilleError)
    assert error.data == {"method": "table.create", "field": "clock.move_ms"}
    assert error.message == "table.create: clock.move_ms must be at least 1."


def test_an_unknown_method_is_an_error_that_lists_the_methods() -> None:
    [(msgid, error)] = read_stream(pack_messages([0, 6, "table.burn", []]))

    assert msgid == 6
    assert isinstance(error, ScovilleError)
    assert (error.code, error.data) == (Code.UNKNOWN_METHOD, {"methods": list(METHODS)})


@pytest.mark.parametrize(
    "message",
    [[0, 9], [0, 9, "ping"], [0, 9, 3, []], [0, 9, b"ping", []], [0, 9, "ping", [], 1]],
    ids=["no method", "no params", "a number for a method", "bytes for a method", "one too many"],
)
def test_a_broken_request_with_a_msgid_is_answered_to_it(message: Any) -> None:
    assert refused(message) == (9, Code.BAD_FRAME)


@pytest.mark.parametrize(
    "message",
    [
        3,
        "ping",
        {},
        [],
        [0],
        [0, -1, "ping", []],
        [0, 2**32, "ping", []],
        [0, "7", "ping", []],
        [1, 2, None, None],
        [7],
    ],
)
def test_a_message_without_anybody_to_answer_to_ends_the_connection(message: Any) -> None:
    [fault] = read_stream(pack_messages(message, [0, 1, "ping", []]))

    assert isinstance(fault, Fault)
    assert fault.code is Code.BAD_FRAME


def test_notifications_from_a_client_mean_nothing_but_are_seen() -> None:
    seen = [Notification(), Notification(), (1, PingRequest()), Notification()]

    assert read_stream(pack_messages([2, "hello", []], [2, "x", None], [0, 1, "ping", []], [2, "ping", []])) == seen
    assert read_stream(pack_messages([2], [2, 7, {}, 1], [0, 1, "ping", []], [2, "ping"])) == seen


def test_messages_come_out_only_on_request() -> None:
    """The reader stops after enough messages: of arbitrary data no more than one run is read."""
    kinds = [[2, "x", []], [2], [0, 1], [0, 1, "ping", [7]], [0, 1, "ping", []]]
    connection = ServerConnection()
    connection.feed_bytes(pack_messages(*(kind for kind in kinds for _ in range(1_000))))

    for _ in range(4):
        taken = [next(connection.read_incoming()) for _ in range(1_000)]
        assert len({type(each) for each in taken}) == 1
    assert len(list(connection.read_incoming())) == 1_000


def test_messages_out_of_order_hide_no_neighbours() -> None:
    stream = pack_messages([0, 1, "ping", []], [0, 2], [2], [0, 3, "ping", []], 7, [0, 4, "ping", []])

    one, broken, passed, other, fault = read_stream(stream)

    assert (one, passed, other) == ((1, PingRequest()), Notification(), (3, PingRequest()))
    assert isinstance(broken, Malformed)
    assert broken.msgid == 2
    assert isinstance(fault, Fault)


def test_invalid_utf8_is_a_bad_value() -> None:
    assert [code for _, code in [refused_raw(b"\x94\x00\x05\xa4ping\x91\x81\xa7payload\xa1\xff")]] == [Code.BAD_PARAMS]


def refused_raw(data: bytes) -> tuple[int, str]:
    [(msgid, error)] = read_stream(data)
    assert isinstance(error, ScovilleError)
    return msgid, error.code


def test_a_map_nested_a_thousand_deep_hurts_nobody() -> None:
    for depth in (100, 900, 1_010):
        data = b"\x94\x00\x05\xaatable.play\x91\x82\xa5table\xa1t\xa4move" + b"\x81\xa1a" * depth + b"\xc0"
        assert len(read_stream(data)) == 1
    [fault] = read_stream(b"\x94\x00\x05\xaatable.play\x91\x82\xa5table\xa1t\xa4move" + b"\x81\xa1a" * 10_000)
    assert isinstance(fault, Fault)


def test_nothing_is_read_after_a_fault() -> None:
    connection = ServerConnection()
    connection.feed_bytes(b"\xc1")
    assert [type(found) for found in connection.read_incoming()] == [Fault]

    connection.feed_bytes(pack_messages([0, 1, "ping", []]))

    assert list(connection.read_incoming()) == []


def test_answers_errors_and_notices_are_messagepack_rpc() -> None:
    connection = ServerConnection()
    connection.reply(3, PingReply(payload="hi"))
    connection.refuse(4, ScovilleError(Code.TABLE_FULL, "All seats are taken.", {"seats": 4}))
    connection.notify(PresenceNotice(table="t", seat=2, connected=False))

    assert unpack(connection.take_bytes()) == [
        [1, 3, None, {"payload": "hi"}],
        [1, 4, {"code": "table_full", "message": "All seats are taken.", "data": {"seats": 4}}, None],
        [2, "table.presence", [{"table": "t", "seat": 2, "connected": False}]],
    ]
    assert connection.take_bytes() == b""


def test_a_reply_that_cannot_be_encoded_leaves_nothing_behind() -> None:
    connection = ServerConnection()
    connection.reply(3, PingReply(payload="hi"))

    with pytest.raises(TypeError):
        connection.reply(4, PingReply(payload=object()))  # type: ignore[arg-type]
    connection.reply(5, PingReply(payload="x" * 5_000))

    assert unpack(connection.take_bytes()) == [[1, 3, None, {"payload": "hi"}], [1, 5, None, {"payload": "x" * 5_000}]]


def test_a_notification_of_a_method_is_not_answered() -> None:
    stream = pack_messages([0, 1, "ping", [{}]], [2, "ping", [{}]], [0, 3, "ping", [{}]])

    assert read_stream(stream) == [(1, PingRequest()), Notification(), (3, PingRequest())]


@pytest.mark.parametrize("read", [0, 1, 2])
def test_unread_requests_can_be_read_by_another_connection(read: int) -> None:
    messages = [[0, 1, "ping", [{"payload": "a"}]], [2, "unknown", []], [0, 2, "ping", [{"payload": "b"}]]]
    stream = b"".join(map(msgpack.packb, messages)) + msgpack.packb([0, 3, "table.list", [{}]])[:5]
    first, second = ServerConnection(), ServerConnection()
    first.feed_bytes(stream)
    incoming = first.read_incoming()
    found = [next(incoming) for _ in range(read)]
    second.feed_bytes(first.copy_unread() or b"")
    found += second.read_incoming()
    second.feed_bytes(msgpack.packb([0, 3, "table.list", [{}]])[5:])
    found += second.read_incoming()
    assert found == [
        (1, PingRequest(payload="a")), Notification(), (2, PingRequest(payload="b")), (3, ListTablesRequest())
    ]  # fmt: skip


def test_a_whole_request_is_copied_as_one() -> None:
    connection, other = ServerConnection(), ServerConnection()
    assert connection.feed_whole(msgpack.packb([0, 1, "ping", [{}]]))
    other.feed_bytes(connection.copy_unread() or b"")
    assert [*other.read_incoming()] == [(1, PingRequest())]


def test_a_stream_that_cannot_be_read_is_not_copied() -> None:
    connection = ServerConnection()
    connection.feed_bytes(msgpack.packb([0, 1, "ping", [{}]]) + b"\xc1")
    assert connection.read_frames()
    assert connection.read_frames().pop()
    connection.read_frames()
    assert connection.copy_unread() is None


def test_a_whole_request_is_distinguished_from_everything_else() -> None:
    request = pack_messages([0, 1, "ping", [{}]])
    connection = ServerConnection()

    assert connection.feed_whole(request)
    assert connection.unread
    assert not connection.feed_whole(request), "another one is unread already"
    assert len([*connection.read_incoming()]) == 2
    assert not connection.unread
    assert not connection.feed_whole(request * 2)
    assert not connection.feed_whole(request[:5])
    assert len([*connection.read_incoming()]) == 2
    assert not connection.feed_whole(request[5:])
    assert len([*connection.read_incoming()]) == 1
    assert connection.feed_whole(request)
