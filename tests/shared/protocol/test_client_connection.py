"""The client's end of a connection."""

from typing import Any

import msgpack
import pytest

from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.connection import (
    Answer,
    ClientConnection,
    Fault,
    ServerConnection,
)
from scoville_shared.protocol.messages import (
    METHOD_OF,
    METHODS,
    ByeNotice,
    JoinRequest,
    Left,
    ListTablesRequest,
    PingReply,
    PingRequest,
    PresenceNotice,
    Resumed,
    TableSnapshot,
    UnknownEvent,
    WatchRequest,
)


def pack(*messages: Any) -> bytes:
    return b"".join(map(msgpack.packb, messages))


def unpack(data: bytes) -> list[Any]:
    unpacker = msgpack.Unpacker()
    unpacker.feed(data)
    return list(unpacker)


def answered(client: ClientConnection, *messages: Any) -> list[Any]:
    client.feed_bytes(pack(*messages))
    return list(client.read_incoming())


def test_calls_go_out_under_the_method_of_their_params() -> None:
    client = ClientConnection()

    assert [client.call_method(JoinRequest(table="t", seat=2)), client.call_method(ListTablesRequest())] == [0, 1]
    assert unpack(client.take_bytes()) == [
        [0, 0, "table.join", [{"table": "t", "seat": 2}]],
        [0, 1, "table.list", [{}]],
    ]


def test_every_method_has_params_of_its_own() -> None:
    assert list(METHOD_OF.values()) == list(METHODS)


def test_answers_come_typed_in_whatever_order() -> None:
    client = ClientConnection()
    first, second = client.call_method(PingRequest(payload="a")), client.call_method(PingRequest(payload="b"))

    assert answered(client, [1, second, None, {"payload": "b"}], [1, first, None, {"payload": "a", "new": 1}]) == [
        Answer(second, PingReply(payload="b")),
        Answer(first, PingReply(payload="a")),
    ]


def test_a_refusal_carries_code_sentence_and_data() -> None:
    client = ClientConnection()
    msgid = client.call_method(PingRequest())

    [answer] = answered(client, [1, msgid, {"code": "too_many", "message": "Wait.", "data": {"n": 3}}, None])

    assert isinstance(answer.result, ScovilleError)
    assert (answer.result.code, answer.result.message, answer.result.data) == ("too_many", "Wait.", {"n": 3})


@pytest.mark.parametrize("reply", [[None, {}], [None, None], ["oh", None], [None, {"payload": 3}]])
def test_a_senseless_answer_fails_its_call_alone(reply: list[Any]) -> None:
    client = ClientConnection()
    msgid = client.call_method(PingRequest())

    [answer] = answered(client, [1, msgid, *reply])

    assert isinstance(answer.result, ScovilleError)
    assert answer.result.code == Code.BAD_FRAME


def test_notices_come_typed_and_unknown_ones_are_passed_over() -> None:
    client = ClientConnection()
    bye = {"code": "shutting_down", "message": "Good night.", "since": "later versions"}

    assert answered(client, [2, "table.weather", [{"rain": True}]], [2, "bye", [bye]]) == [
        ByeNotice(code="shutting_down", message="Good night.")
    ]


def test_an_unknown_newer_event_keeps_its_number() -> None:
    weather = {"kind": "weather", "seq": 7, "rain": True}
    left = {"kind": "left", "seq": 8, "seat": 1, "name": "Anna", "host": 0, "reason": "asleep", "mood": "fine"}
    known = {**left, "seq": 9, "reason": "absent"}
    notices = [[2, "table.event", [{"table": "t", "event": event, "view": None}]] for event in (weather, left, known)]

    events = [notice.event for notice in answered(ClientConnection(), *notices)]

    assert events == [
        UnknownEvent(seq=7),
        UnknownEvent(seq=8),
        Left(seq=9, seat=1, name="Anna", host=0, reason="absent"),
    ]


def test_a_snapshot_tolerates_newer_events() -> None:
    client = ClientConnection()
    msgid = client.call_method(WatchRequest(table="t"))
    info = {
        "table": "t",
        "game": "g",
        "rules_version": 1,
        "options": {},
        "seats": [{}],
        "host": None,
        "status": "waiting",
        "commitment": "",
    }
    events = [{"kind": "weather", "seq": 1}, {"kind": "resumed", "seq": 2, "seat": 0}]
    shot = {"info": info, "seq": 2, "seat": None, "view": None, "pending": [], "move_counts": [], "events": events}

    [answer] = answered(client, [1, msgid, None, {**shot, "sunshine": 4}])

    assert isinstance(answer.result, TableSnapshot)
    assert answer.result.events == [UnknownEvent(seq=1), Resumed(seq=2, seat=0)]


def test_a_notice_of_a_newer_server_is_skipped() -> None:
    newer = {"table": "t", "name": "Anna", "seat": None, "reaction": "confetti"}

    assert answered(ClientConnection(), [2, "chat.reacted", [newer]]) == []


def test_an_answer_to_nothing_is_passed_over() -> None:
    assert answered(ClientConnection(), [1, 77, None, {}]) == []


def test_unknown_message_kind_ends_the_connection() -> None:
    [fault] = answered(ClientConnection(), [0, 1, "ping", []])

    assert isinstance(fault, Fault)
    assert fault.code is Code.BAD_FRAME


def test_msgids_wrap_around_and_skip_calls_that_still_wait() -> None:
    client = ClientConnection()
    client._next_msgid = 2**32 - 1
    waiting = client.call_method(PingRequest())
    client._next_msgid = 2**32 - 1

    assert (waiting, client.call_method(PingRequest()), client.call_method(PingRequest())) == (2**32 - 1, 0, 1)


def test_a_shared_notice_is_the_same_bytes_everywhere() -> None:
    first, other = (PresenceNotice(table="t1", seat=seat, connected=True) for seat in (0, 1))
    lines = [ServerConnection() for _ in range(3)]
    for notice in (first, other, first):
        for line in lines:
            line.notify(notice)
    expected = [[2, "table.presence", [{"table": "t1", "seat": seat, "connected": True}]] for seat in (0, 1, 0)]
    assert [unpack(line.take_bytes()) for line in lines] == [expected] * 3
