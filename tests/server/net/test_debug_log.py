"""The debug log of connections: its grammar, its states, and no secret in it."""

import logging
import re

import pytest

from scoville_server.net.driver.driver import ConnectionDriver
from scoville_server.server import Server
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import ByeNotice, Params, Reply
from scoville_shared.protocol.state import ConnectionState, IllegalTransition

from .doubles import HELLO, PRESENCE, RecordingService, RecordingTransport, connected, ping, say, turn

LOG = "scoville_server.connection"
GRAMMAR = re.compile(
    r"#\d+ (< \d+ bytes|< \d+ [a-z_.]+|> notice [a-z_.]+|> \d+ bytes|= (greeting( \S+)?|open|closing)"
    r"|! (\d+ )?[a-z_]+|x closed)"
)


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG, LOG)
    return caplog


def written(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The lines without the connection's number."""
    found = [record.getMessage() for record in caplog.records if record.name == LOG]
    assert [line for line in found if not GRAMMAR.fullmatch(line)] == []
    return [line.partition(" ")[2] for line in found]


async def test_a_life_of_a_connection(lines: pytest.LogCaptureFixture) -> None:
    def strict(_: Params) -> Reply:
        raise ScovilleError(Code.STALE_MOVE, "a secret sentence")

    service = RecordingService(strict)
    transport = connected(service, greeted=False, transport=RecordingTransport("192.0.2.7"))
    say(transport, HELLO)
    say(transport, ping(5, "a secret"))
    service.peer.notify(PRESENCE)
    await turn()
    service.peer.close(ByeNotice(code=Code.SHUTTING_DOWN, message="a secret sentence"))
    transport.abort()

    shown = written(lines)
    assert [re.sub(r"\d+ bytes", "N bytes", each) for each in shown] == [
        *("= greeting 192.0.2.7:5757", "< N bytes", "< 0 hello", "= open", "> N bytes"),
        *("< N bytes", "< 5 ping", "! 5 stale_move", "> N bytes", "> notice table.presence", "> N bytes"),
        *("! shutting_down", "> N bytes", "= closing", "x closed"),
    ]
    assert "secret" not in lines.text
    assert service.refusals == [("ping", "stale_move")]


async def test_without_debug_nothing_is_written(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, LOG)
    transport = connected(RecordingService())
    say(transport, ping(1))
    assert written(caplog) == []


async def test_garbage_is_an_error_by_its_code(lines: pytest.LogCaptureFixture) -> None:
    transport = connected(RecordingService())
    transport.protocol.data_received(b"\xc1 token=secret")
    assert "! bad_frame" in written(lines)
    assert "secret" not in lines.text


async def test_states_of_the_driver() -> None:
    service = RecordingService()
    transport = connected(service, greeted=False)
    driver = transport.protocol
    assert isinstance(driver, ConnectionDriver)

    def state() -> ConnectionState:
        return driver._connection.state

    assert state() is ConnectionState.GREETING
    say(transport, HELLO)
    assert state() is ConnectionState.OPEN
    driver.close()
    assert state() is ConnectionState.CLOSING
    driver.connection_lost(None)
    assert state() is ConnectionState.CLOSED
    with pytest.raises(IllegalTransition):
        driver.connection_lost(None)
    assert service.closed_connections == 1


async def test_a_connection_that_is_refused_before_hello_is_a_refusal() -> None:
    service = RecordingService()
    connected(service, greeted=False).protocol.close(ByeNotice(code=Code.BUSY, message="The server is full."))
    assert service.refusals == [(None, "busy")]


async def test_a_whole_server_writes_no_secret(lines: pytest.LogCaptureFixture) -> None:
    caplog = lines
    caplog.set_level(logging.DEBUG)
    from scoville_server.settings.model import Settings

    server = Server(Settings())
    transport = RecordingTransport()
    transport.connect(server.make_protocol())
    password, nonce = "correct horse battery", b"\x07" * 16
    say(transport, [0, 0, "hello", [{"protocol": 1, "name": "Anna", "token": "tok-" + "x" * 40}]])
    say(transport, [0, 1, "account.login", [{"name": "Anna", "password": password}]])
    say(transport, [0, 2, "table.create", [{"game": "no_thanks", "seats": 3, "nonce": nonce, "password": password}]])
    await turn()
    token = next(message[3]["token"] for message in transport.messages() if message[:3] == [1, 0, None])
    for secret in (password, "tok-xxx", token, nonce.hex(), repr(nonce)):
        assert secret not in caplog.text
    assert "< 1 account.login" in caplog.text
    transport.abort()
    await server.close()
