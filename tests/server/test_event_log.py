"""The event log: one line for each hello, takeover, refusal, game start and game end, and no secret in any log."""

import logging

import pytest

from scoville_server.net.driver.driver import ConnectionDriver
from tests.server.net.doubles import HELLO, RecordingTransport, say, turn
from tests.server.tables.test_archive import played
from tests.support.server import Caller, toy_server

EVENTS = "scoville.events"


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
    hello, second, takeover = [line for line in written(lines) if line.startswith(("hello", "takeover"))]
    assert hello == "hello address=192.0.2.7:50412 connection=0 user=Anna claimed=false"
    assert second.startswith("hello address=192.0.2.9:1 connection=0 user=Anna")
    assert takeover == "takeover address=192.0.2.9:1 connection=0 user=Anna"
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
    assert written(lines)[-1].startswith("refusal code=unknown_table method=table.join address=192.0.2.8")
    transport.abort()
    await server.close()
