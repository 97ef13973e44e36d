"""Data of an untrusted server are cleaned and bounded, in every type of message."""

import tracemalloc
from typing import Any

import msgpack
import msgspec
import pytest

from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.connection import FROM_SERVER, Answer, ClientConnection, Fault
from scoville_shared.protocol.decoding import ErrorMap
from scoville_shared.protocol.messages import METHODS, NOTICES, AnyTableEvent, ExportRequest, Params, ProfileRequest
from scoville_shared.protocol.outline import MOST_VALUES
from scoville_shared.untrusted import LONGEST_TEXT
from tests.support.hostile import EVERYTHING, fill_type, list_disturbances, texts_in

EVENTS = msgspec.inspect.type_info(AnyTableEvent).types  # type: ignore[attr-defined]
MOST_MEMORY = 24
"""Bytes of memory that each byte of a message may cost at most, at its worst moment."""


def heard(message: Any, request: type[Params] | None = None) -> Any:
    """Decode a message as a client does that has sent such a request."""
    client = ClientConnection()
    if request is not None:
        client._calls[0] = request
    client.feed_bytes(message if isinstance(message, bytes) else msgpack.packb(message))
    [found] = client.read_incoming()
    return found.result if isinstance(found, Answer) else found


def check_clean(value: Any) -> None:
    texts = [*texts_in(value)]
    assert texts
    assert [text for text in texts if list_disturbances(text) or len(text) > LONGEST_TEXT] == []


@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if method.reply.__struct_fields__])
def test_every_text_of_every_reply_is_clean(method: str) -> None:
    reply = heard([1, 0, None, fill_type(METHODS[method].reply, EVERYTHING)], METHODS[method].params)
    assert isinstance(reply, METHODS[method].reply)
    if any(isinstance(part, str) for part in texts_in(reply)):
        check_clean(reply)


@pytest.mark.parametrize("name", NOTICES)
def test_every_text_of_every_notice_is_clean(name: str) -> None:
    notice = heard([2, name, [fill_type(NOTICES[name], EVERYTHING)]])
    assert isinstance(notice, NOTICES[name])
    check_clean(notice)


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.cls.__name__)
def test_every_text_of_every_event_is_clean(kind: Any) -> None:
    event = fill_type(kind.cls, EVERYTHING)
    notice = heard([2, "table.event", [{"table": "t", "event": event, "view": {EVERYTHING: EVERYTHING}}]])
    assert type(notice.event) is kind.cls
    check_clean(notice)


def test_every_text_of_an_error_is_clean() -> None:
    error = heard([1, 0, fill_type(ErrorMap, EVERYTHING), None], ProfileRequest)
    assert isinstance(error, ScovilleError)
    assert "markup" in error.message
    check_clean([error.code, error.message, error.data])


def test_an_unreadable_answer_quotes_nothing_that_acts() -> None:
    error = heard([1, 0, None, {"name": {EVERYTHING: 1}, "ratings": EVERYTHING}], ProfileRequest)
    assert error.code == Code.BAD_FRAME
    check_clean([error.message])


def test_honest_text_is_left_unchanged() -> None:
    names = ["Jürgen", "Zoë", "ไทย", "שלום", "two  blanks"]
    assert heard([1, 0, None, {"names": names}], METHODS["chat.ignored"].params).names == names


def test_the_lines_of_an_export_may_be_long() -> None:
    line = "x" * 60_000
    assert heard([1, 0, None, {"lines": [line], "line_count": 1}], ExportRequest).lines == [line]


def nested(levels: int) -> bytes:
    return b"\x91" * levels + b"\x01"


BOMBS = {
    "nils": lambda: b"\xdd" + (FROM_SERVER - 100).to_bytes(4) + b"\xc0" * (FROM_SERVER - 100),
    "empty maps": lambda: b"\xdd" + (FROM_SERVER - 100).to_bytes(4) + b"\x80" * (FROM_SERVER - 100),
    "nested pairs": lambda: b"\x92\xc0" * (500) + b"\xdd" + (10**6).to_bytes(4) + b"\x90" * 10**6,
    "a map": lambda: (
        b"\xdf" + (400_000).to_bytes(4) + b"".join(b"\xce" + n.to_bytes(4) + b"\xc0" for n in range(300_000))
    ),
    "a claim of two billion": lambda: b"\xdd\x7f\xff\xff\xff" + b"\x80" * 1000,
    "names": lambda: b"\xdd" + (200_000).to_bytes(4) + b"\xa5names" * 200_000,
    "a text": lambda: b"\xdb" + (FROM_SERVER - 100).to_bytes(4) + "🌶".encode() * ((FROM_SERVER - 100) // 4),
    "depth": lambda: nested(900),
    "more depth": lambda: nested(200_000),
}


@pytest.mark.parametrize("where", ["result", "error data", "view", "anything"])
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_message_costs_a_bounded_amount_of_memory(bomb: str, where: str) -> None:
    inside = BOMBS[bomb]()
    head = {
        "result": b"\x94\x01\x00\xc0",
        "error data": b"\x94\x01\x00\x83\xa4code\xa1x\xa7message\xa1x\xa4data\x81\xa1x",
        "view": b"\x93\x02\xabtable.event\x91\x83\xa5table\xa1t"
        b"\xa5event\x83\xa4kind\xa7resumed\xa3seq\x01\xa4seat\x00\xa4view\x81\xa1x",
        "anything": b"",
    }[where]
    message = head + inside + (b"\xc0" if where == "error data" else b"")
    client = ClientConnection()
    client._calls[0] = ProfileRequest
    tracemalloc.start()
    try:
        client.feed_bytes(message[: FROM_SERVER + 64 * 1024])
        found = [*client.read_incoming()]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= MOST_MEMORY * FROM_SERVER
    assert len(found) <= 1
    assert all(len(text) <= LONGEST_TEXT for text in texts_in(found))


def test_a_message_of_too_many_values_ends_the_connection() -> None:
    fault = heard([2, "announced", [{"text": "x", "more": [None] * MOST_VALUES}]])
    assert fault == Fault(Code.FRAME_TOO_LARGE, f"A message may have at most {MOST_VALUES} values.")
