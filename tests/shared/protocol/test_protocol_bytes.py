"""Every method, event and notice has its bytes in docs/protocol/bytes.md, and both ends decode them."""

import json
import re
from typing import Any, get_args

import msgpack
import pytest

from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.connection import Answer, ClientConnection, ServerConnection
from scoville_shared.protocol.messages import METHODS, NOTICES, AnyTableEvent, EventNotice, HelloRequest
from tests.support.wire_page import code_block

Example = tuple[bytes, Any]


def examples(kind: str) -> list[Example]:
    """Read a block: the bytes of each message, and its meaning."""
    found = re.findall(r"^[<>] ((?:[0-9a-f]{2}\s+)+)= (.*)$", code_block(kind), re.MULTILINE)
    assert len(found) == code_block(kind).count("  = ")
    return [(bytes.fromhex(data), json.loads(message)) for data, message in found]


@pytest.mark.parametrize("kind", ["requests", "notices", "refusal"])
def test_the_bytes_are_the_messages(kind: str) -> None:
    for data, message in examples(kind):
        assert msgpack.unpackb(data) == message


def test_every_method_has_an_example_that_the_server_reads() -> None:
    server = ServerConnection()
    read = []
    for data, (_, msgid, method, _params) in examples("requests"):
        server.feed_bytes(data)
        [(number, params)] = [*server.read_incoming()]
        assert (number, type(params)) == (msgid, METHODS[method].params)
        read.append(method)
    assert read == [*METHODS]


def test_every_event_and_notice_has_a_readable_example() -> None:
    client = ClientConnection()
    for data, _message in examples("notices"):
        client.feed_bytes(data)
    heard: list[Any] = [*client.read_incoming()]
    assert {type(notice) for notice in heard} == {*NOTICES.values()}
    events = [notice.event for notice in heard if isinstance(notice, EventNotice)]
    assert [type(event) for event in events] == [*get_args(AnyTableEvent)]


def test_a_refusal_is_read_with_the_values_it_speaks_of() -> None:
    [(data, (_, msgid, error, _result))] = examples("refusal")
    client = ClientConnection()
    client._next_msgid = msgid
    client.call_method(HelloRequest(protocol=1))
    client.feed_bytes(data)
    [answer] = client.read_incoming()
    assert isinstance(answer, Answer)
    assert isinstance(answer.result, ScovilleError)
    assert (answer.result.code, answer.result.data) == (Code.SLOW_DOWN, error["data"])
