"""The server's log with hostile texts: each record is one line of printable ASCII, in both formats."""

import json
import logging

import pytest

from scoville_runtime.events import EventLog
from scoville_runtime.log_setup import LineFormatter
from scoville_server.events import Hello
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import CreateRequest
from tests.support.hostile import EVERYTHING, PAYLOADS
from tests.support.server import Caller, toy_server

TEXTS = (*PAYLOADS, EVERYTHING, "\x1b]9;owned\x1b\\", "\nINFO: hello user=admin", "漢" * 500)


def check(caplog: pytest.LogCaptureFixture) -> None:
    text, structured = LineFormatter("text", "server"), LineFormatter("json", "server")
    assert caplog.records
    for record in caplog.records:
        for line in (text.format(record), structured.format(record)):
            assert line.isascii(), line
            assert line.isprintable(), line
        json.loads(structured.format(record))


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_no_value_leaves_its_line(text: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "scoville.events")
    EventLog().take_event(Hello(connection=1, user=text, claimed=False, client=text))
    check(caplog)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
async def test_no_request_leaves_its_lines(text: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "scoville_server")
    caplog.set_level(logging.INFO, "scoville.events")
    server = toy_server()
    anna = await Caller(server, "192.0.2.7:50412").hello(text[:24], text[:64])
    with pytest.raises(ScovilleError):
        await anna.call(CreateRequest(game=text, seat_count=2))
    await server.close()
    check(caplog)
