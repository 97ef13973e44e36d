"""Backups and damage reach the log, the metrics and the audit log of the server of the folder."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scoville_server.events import Damage
from scoville_server.journal.backups.series import list_backups
from scoville_server.journal.base import Change
from scoville_server.journal.store import Store
from scoville_server.moderation.audit import MOST_KINDS
from scoville_server.observation.metrics import MetricsPage
from scoville_server.server import Server
from tests.server.control.controlled_server import controlled_server
from tests.server.control.test_control_commands import run as run_command
from tests.support.process import run_server


@asynccontextmanager
async def server_of(data: Path) -> AsyncIterator[Server]:
    async with controlled_server(data, data=data) as server:
        yield server
        await server._services.background.finish_tasks()


def read_count(server: Server, kind: str) -> float:
    """Return how many events of a kind the metrics have counted."""
    lines = MetricsPage(server.status).render_page().decode().splitlines()
    return next(float(line.split()[-1]) for line in lines if line.startswith(f'scoville_events_total{{kind="{kind}"}}'))


async def read_list(data: Path, command: str, rows: str) -> list[dict[str, Any]]:
    status, out, err = await run_command(command, "--json", "--data", str(data))
    assert status == 0, err
    found: list[dict[str, Any]] = json.loads(out)[rows]
    return found


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


async def test_a_backup_reaches_every_sink_of_its_server(data: Path, tmp_path: Path) -> None:
    async with server_of(data) as server:
        for target in ("first", "second"):
            assert (await run_command("backup", str(tmp_path / target), "--data", str(data)))[0] == 0
        status, _, err = await run_command("backup", str(tmp_path / "first"), "--data", str(data))
        assert (status, len(err.splitlines())) == (1, 1)
        assert (read_count(server, "backup"), read_count(server, "backup_failed")) == (2, 1)
        events = [each["fields"] for each in await read_list(data, "log", "events") if each["kind"] == "backup"]
        assert [fields["path"] for fields in events] == [str(tmp_path / name) for name in ("first", "second")]
        acts = await read_list(data, "audit", "entries")
    assert [(act["action"], act["target"]) for act in acts] == [
        ("backup", str(tmp_path / "first")),
        ("backup", str(tmp_path / "second")),
        ("backup failed", None),
    ]
    assert all("(uid " in act["by"] for act in acts)
    assert "already exists" in acts[-1]["reason"]


async def test_backup_of_a_stopped_server_is_reported_at_start(data: Path, tmp_path: Path) -> None:
    async with server_of(data):
        pass
    series = tmp_path / "series"
    assert (await run_command("backup", str(series), "--keep", "2", "--data", str(data)))[0] == 0
    for count in (1, 0):  # once, however often it is started
        async with server_of(data) as server:
            await server._services.background.finish_tasks()
            acts = await read_list(data, "audit", "entries")
            assert read_count(server, "backup") == count
        assert [(act["action"], act["target"]) for act in acts] == [("backup", str(list_backups(series)[0]))]
        assert "scoville-server backup" in acts[0]["by"]


async def test_a_piped_backup_counts_as_the_last_one(data: Path) -> None:
    async with server_of(data) as server:
        process = await run_command_for_bytes("backup", "-", "--data", str(data))
        assert b"Backed up to standard output: 0 tables" in process
        assert read_count(server, "backup") == 1
        assert (await read_status(data))["disk"]["last_backup_ms"] is not None


async def test_damage_at_the_start_reaches_every_sink(data: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with server_of(data):
        pass
    store = Store(data)
    store.commit_writes([lambda s: s.write_changes([Change("reports", "1", msgspec.msgpack.encode("no report"))])])
    store.close()
    async with server_of(data) as server:
        await server._services.background.finish_tasks()
        assert read_count(server, "damage") == 1
        [act] = await read_list(data, "audit", "entries")
    assert (act["action"], "of the book reports cannot be read" in act["reason"]) == ("damage", True)
    assert "damage reason=" in caplog.text


async def test_repeated_damage_fills_no_audit_log(data: Path) -> None:
    async with server_of(data) as server:
        for number in range(1_000):
            server._services.journal.report_damage(Damage(path="a game", reason="changed"))
            server._services.journal.report_damage(Damage(path=f"game {number}", reason="changed"))
        await server._services.background.finish_tasks()
        assert server._services.moderation_records.audit.latest_number == MOST_KINDS
        assert read_count(server, "damage") == 2_000


async def read_status(data: Path) -> dict[str, Any]:
    _, out, _ = await run_command("status", "--json", "--data", str(data))
    found: dict[str, Any] = json.loads(out)
    return found


async def run_command_for_bytes(*arguments: str) -> bytes:
    """Run a command whose output is no text; returns what it complained of."""
    process = await run_server(*arguments)
    _, err = await process.communicate()
    assert process.returncode == 0
    return err
