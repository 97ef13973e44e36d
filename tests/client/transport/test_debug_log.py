"""The debug log of connections: a short grammar, and none of what must stay secret."""

import logging
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoville_client.session.session import Session
from scoville_client.transport.caller import LOGS, log_message, write_debug_log
from scoville_client.transport.in_process import LocalLink, serve_in_process
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.connection import Answer
from tests.support.hostile import EVERYTHING, PAYLOADS

LINE = re.compile(r"^\d\d:\d\d:\d\d\.\d{3} #(\d+) ([><=!x]) (.+)$")
PASSWORD = "seven habaneros"
SEED = bytes(range(32))


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    logger = logging.getLogger("scoville.connection")
    level, propagate = logger.level, logger.propagate
    write_debug_log(tmp_path / "debug.log")
    yield tmp_path / "debug.log"
    for handler in [*logger.handlers]:
        logger.removeHandler(handler)
        handler.close()
    logger.setLevel(level)
    logger.propagate = propagate


def entries_of(log: Path) -> list[re.Match[str]]:
    lines = log.read_text(encoding="utf-8").splitlines()
    found = [match for line in lines if (match := LINE.match(line))]
    assert len(found) == len(lines), lines
    return found


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


async def test_the_connection_log_has_no_secrets(log: Path) -> None:
    server = await serve_in_process(seed=SEED)
    nonce = "ab" * 32
    session = Session(nonce=lambda: nonce)
    await session.connect(LocalLink(server), "Anna")
    table = await session.lobby.create_table("no_thanks", 3, password=PASSWORD)
    await session.join_table(table.table)
    with pytest.raises(ScovilleError):
        await session.table_actions.open_rematch()
    with pytest.raises(ScovilleError):
        await session.account.log_in("Paul", PASSWORD)
    token = session.connection.token
    await session.close()
    await server.close()

    found = entries_of(log)
    entries = [(entry[2], entry[3]) for entry in found]
    assert [what for sign, what in entries if sign in "=x"] == ["greeting", "open", "closing", "closed"]
    assert entries[-1] == ("x", "closed")
    assert (">", "0 hello") in entries
    assert any(sign == ">" and re.fullmatch(r"\d+ bytes", what) for sign, what in entries)
    assert ("<", "0 HelloReply") in entries
    assert any(sign == "<" and re.fullmatch(r"\d+ bytes", what) for sign, what in entries)
    assert any(sign == "!" and re.fullmatch(r"\d+ \w+", what) for sign, what in entries), "a refusal by its code"
    for secret in (token, nonce, PASSWORD, SEED.hex(), "Anna"):
        assert not [entry[0] for entry in found if secret in entry[0]]
    assert mode(log) == 0o600


async def test_two_connections_have_numbers_of_their_own(log: Path) -> None:
    server = await serve_in_process()
    for _ in range(2):
        session = Session()
        await session.connect(LocalLink(server))
        await session.close()
    await server.close()
    numbers = [entry[1] for entry in entries_of(log)]
    assert len(set(numbers)) == 2
    assert numbers == sorted(numbers, key=int)


async def test_nothing_is_logged_unless_it_is_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    server = await serve_in_process()
    session = Session()
    await session.connect(LocalLink(server))
    await session.close()
    await server.close()
    assert not [record for record in caplog.records if record.name == "scoville.connection"]


@pytest.mark.parametrize("code", [*PAYLOADS, EVERYTHING], ids=range(len(PAYLOADS) + 1))
def test_an_error_code_of_the_server_stays_in_its_line(code: str, log: Path) -> None:
    log_message(LOGS.open_log(), Answer(5, ScovilleError(code, "Owned.")))
    [line] = log.read_text(encoding="utf-8").splitlines()
    assert line.isascii()
    assert line.isprintable()
    assert len(line) < 80
