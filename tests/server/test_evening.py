"""An evening in which everything happens: what a server writes is what docs/events.md documents, and no secret."""

import asyncio
import json
import logging
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from scoville_runtime.events import Suppressed, describe_fields, kind_of
from scoville_runtime.log_setup import LineFormatter
from scoville_server.cli.backups import backup
from scoville_server.journal import sqlite
from scoville_server.journal.base import Change, JournalError
from scoville_server.journal.sqlite import SqliteJournal
from scoville_server.net.driver.driver import ConnectionDriver
from scoville_server.server import Server
from scoville_server.settings.live import LiveSettings
from scoville_server.settings.model import BadSettings, LoadedSettings, Settings
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol import messages as m
from tests.server.events_page import PAGE, kinds_of
from tests.server.net.doubles import HELLO, RecordingTransport, say, turn
from tests.server.tables.test_archive import played
from tests.support import accounts
from tests.support.hostile import PAYLOADS
from tests.support.server import CHEAP_HASHING, Caller, core_of, toy_shelf

PASSWORD, WRONG = "correct-horse-battery", "wrong-horse-battery"
HOSTILE = "x\nwrong_login code=wrong_login address=198.51.100.99:1 \x1b[31m\u202e"


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG, "scoville.events")
    return caplog


async def call(caller: Caller, params: m.Params) -> Any:
    """Send a request whose refusal does not matter."""
    try:
        return await caller.call(params)
    except ScovilleError as error:
        return error


def connect(server: Server, host: str) -> RecordingTransport:
    """Connect by bytes: refusals are noted by the driver."""
    transport = RecordingTransport(host)
    transport.connect(ConnectionDriver(server))
    return transport


async def ask(transport: RecordingTransport, *requests: tuple[m.Params, dict[str, Any]]) -> None:
    for number, (kind, params) in enumerate(requests):
        say(transport, [0, number, m.METHOD_OF[kind], [params]])
        await turn()


async def raise_everything(folder: Path) -> list[str]:
    """Spend the evening; returns the secrets that were used."""
    before = Server(Settings(data=folder), catalog=toy_shelf())
    await before.start()
    await before.close()
    (folder / "audit.jsonl").write_text('{"number":1,"damaged\n')
    settings = Settings(data=folder, admins=("Anna",), accounts=CHEAP_HASHING, drain_seconds=0.01)
    journal = SqliteJournal(folder, settings.pending_writes)
    faults: list[str] = []

    def read_settings() -> LoadedSettings:
        if faults:
            raise BadSettings(*faults)
        return LoadedSettings(settings)

    server = Server(LiveSettings(settings, read=read_settings), catalog=toy_shelf(), journal=journal)
    journal._events = server.events
    await server.start()
    secrets = [*server.admin_codes.values(), PASSWORD, WRONG]

    anna = await Caller(server, "192.0.2.1:1").hello("Anna")
    await anna.call(m.ClaimNameRequest(password=PASSWORD))
    await anna.call(m.BecomeAdminRequest(code=server.admin_codes["Anna"]))
    await anna.call(m.ChangePasswordRequest(new=f"{PASSWORD}-2"))
    ben = await Caller(server, "[2001:db8::2]:2").hello("Ben")
    assert ben.welcome is not None
    secrets += [anna.welcome.token if anna.welcome else "", ben.welcome.token]
    await played(server, anna, ben, leave=True)
    await anna.call(m.ReportRequest(name="Ben", text=HOSTILE))
    second = await Caller(server, "192.0.2.2:3").hello("", ben.welcome.token)
    assert second.welcome is not None
    third = await Caller(server, "192.0.2.2:4").hello("", second.welcome.token)
    await Caller(server, "192.0.2.66:5").hello("", ben.welcome.token)
    guest = await Caller(server, "192.0.2.3:6").hello("Guest")
    await accounts.log_in(guest, "Anna", f"{PASSWORD}-2")
    await guest.call(m.AnnounceRequest(text=HOSTILE))
    await guest.call(m.BanRequest(target="192.0.2.77", kind="address", reason=HOSTILE))
    third.hang_up()

    bad = connect(server, "192.0.2.9")
    say(bad, HELLO)
    await turn()
    for _ in range(5):
        await ask(bad, (m.LoginRequest, {"name": "Anna", "password": WRONG}))
        await core_of(server).background.finish_tasks()
        await turn()
    for _ in range(40):
        await ask(bad, (m.JoinRequest, {"table": HOSTILE}))
    say(bad, *([2, "nothing", []] for _ in range(settings.connections.notifications + 1)))
    await turn()
    for host, hello in (
        ("192.0.2.77", {"protocol": 1}),
        ("192.0.2.10", {"protocol": 1, "door": {"credential": WRONG, "transport": "ssh", "address": "192.0.2.4"}}),
    ):
        transport = connect(server, host)
        say(transport, [0, 0, "hello", [hello]])
        await turn()
        transport.abort()
    bad.abort()

    await server.reload()
    faults.append(HOSTILE)
    await server.reload()
    core_of(server).catalog.on_stopped("high_card", HOSTILE)
    database: sqlite3.Connection = journal._writer._store._db  # type: ignore[union-attr]
    database.execute("PRAGMA query_only = ON")
    with pytest.raises(JournalError):
        await journal.write([Change("audit", "x", b"")])
    database.execute("PRAGMA query_only = OFF")
    await journal.write([Change("nobody", "x", b"")])
    await server.drain(asyncio.Event())
    await server.close()
    backup(folder.parent / "copy", data=folder)
    with pytest.raises(SystemExit):
        backup(folder.parent / "copy", data=folder)
    after = Server(settings, toy_shelf())  # it reports the backup that has failed meanwhile
    await after.start()
    await after.close()
    return [secret for secret in secrets if secret]


async def test_written_events_are_the_documented_ones(
    lines: pytest.LogCaptureFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "SLOW_SECONDS", 0.0)
    folder = tmp_path / "data"
    folder.mkdir()
    secrets = await raise_everything(folder)
    records = [record for record in lines.records if record.name == "scoville.events"]
    written = [json.loads(LineFormatter("json", "server").format(record)) for record in records]
    kinds = {kind_of(kind): kind for kind in (*kinds_of("server"), Suppressed)}
    assert {line["event"] for line in written} == kinds.keys()
    rows = dict(re.findall(r"^\| `(\w+)` \|.*\| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    for line in written:
        fields = line.keys() - {"time", "level", "program", "process", "event"}
        assert fields <= {field.name for field in describe_fields(kinds[line["event"]])}
        assert all(f"`{field}` (" in rows[line["event"]] for field in fields), line
    text = "\n".join(LineFormatter("text", "server").format(record) for record in records)
    assert text.isascii()
    assert len(text.splitlines()) == len(records), "no value leaves its line"
    for secret in secrets:
        assert secret not in text
    assert not re.search(r"seed|nonce|\bhand\b|password=", text)
    assert all(payload not in text for payload in PAYLOADS if not payload.isprintable())
