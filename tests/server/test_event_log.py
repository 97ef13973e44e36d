"""The event log: one line for each hello, takeover, refusal, game start and game end, and no secret in any log."""

import json
import logging

import pytest

from scoville_server.event_log import MOST, SECONDS, EventLog
from scoville_server.log_setup import JsonFormatter
from scoville_server.net.driver.driver import ConnectionDriver
from tests.server.net.doubles import HELLO, RecordingTransport, say, turn
from tests.server.tables.test_archive import played
from tests.support.server import Caller, toy_server

EVENTS = "scoville_server.events"


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, EVENTS)
    return caplog


def written(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == EVENTS]


async def test_each_event_is_one_line_with_its_fields(lines: pytest.LogCaptureFixture) -> None:
    server = toy_server()
    anna = await Caller(server, "192.0.2.7:50412").hello("Anna")
    assert anna.welcome is not None
    await Caller(server, "192.0.2.9:1").hello("", anna.welcome.token)
    hello, second, takeover = written(lines)
    assert hello == "hello user=Anna address=192.0.2.7:50412 connection=0 claimed=false"
    assert second.startswith("hello user=Anna address=192.0.2.9:1")
    assert takeover == "takeover user=Anna address=192.0.2.9:1 connection=0"
    await server.close()


async def test_a_game_starts_and_ends_in_one_line_each(lines: pytest.LogCaptureFixture) -> None:
    server = toy_server()
    users = [await Caller(server).hello(name) for name in ("Anna", "Ben")]
    table = await played(server, *users)
    games = [line for line in written(lines) if line.startswith("game")]
    assert games == [
        f"game_start table={table} game=heap humans=2 bots=0",
        f"game_end table={table} game=heap result=finished moves={games[-1].rpartition('=')[2]}",
    ]
    await server.close()


async def test_a_refused_request_logs_code_and_method(lines: pytest.LogCaptureFixture) -> None:
    server = toy_server()
    transport = RecordingTransport("192.0.2.8")
    transport.connect(ConnectionDriver(server))
    say(transport, HELLO, [0, 5, "table.join", [{"table": "none"}]])
    await turn()
    assert written(lines)[-1].startswith("refusal code=unknown_table method=table.join user=")
    transport.abort()
    await server.close()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Anna", "user=Anna"),
        ("A B", 'user="A B"'),
        ("x\nINFO: hello user=admin", r'user="x\nINFO: hello user=admin"'),
        ('"', r'user="\""'),
        ("a=b", 'user="a=b"'),
        ("\u202eevil\u2028", r'user="\u202eevil\u2028"'),
        ("\x1b[31m", r'user="\u001b[31m"'),
        ("\u00e4", r'user="\u00e4"'),
    ],
)
def test_no_value_can_forge_a_line(name: str, shown: str, lines: pytest.LogCaptureFixture) -> None:
    EventLog(lambda: 0.0).write_event("hello", user=name)
    assert written(lines) == [f"hello {shown}"]


def test_a_flood_logs_a_few_lines_and_a_count(lines: pytest.LogCaptureFixture) -> None:
    now = 0.0
    log = EventLog(lambda: now)
    for _ in range(MOST + 310):
        log.write_event("refusal", code="slow_down")
    log.write_event("hello", user="Anna")
    assert len(written(lines)) == MOST + 1, "a flood of one kind hides no other"
    now = SECONDS
    log.write_event("refusal", code="slow_down")
    log.write_event("refusal", code="slow_down")
    assert written(lines)[-2:] == ["refusal code=slow_down suppressed=310", "refusal code=slow_down"]


def test_as_json_every_record_is_an_object(lines: pytest.LogCaptureFixture) -> None:
    EventLog(lambda: 0.0).write_event("game_end", table="t1", moves=7)
    logging.getLogger(EVENTS).warning("A \n sentence")
    event, other = [json.loads(JsonFormatter().format(record)) for record in lines.records]
    assert {key: event[key] for key in ("event", "table", "moves", "level")} == {
        "event": "game_end", "table": "t1", "moves": 7, "level": "info",
    }  # fmt: skip
    assert other["message"] == "A \n sentence"
    assert isinstance(other["time"], float)
