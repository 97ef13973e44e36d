"""Health and readiness: what a server says of itself while it starts, hangs, cannot save, and when that is over."""

import shutil
import socket
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scoville_server.journal.store import Store
from scoville_server.observation.figures import TICK_SECONDS
from scoville_server.observation.metrics_settings import MetricsSettings
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol import messages as m
from tests.server.observation.scrape import request_page, scrape_port
from tests.support.clock import FakeClock
from tests.support.core import code_of, connect_user
from tests.support.idle import eventually


class Hosted:
    """A server on a clock of its own."""

    def __init__(self, data: Path) -> None:
        self.clock = FakeClock()
        settings = Settings(host="127.0.0.1", port=0, data=data, metrics=MetricsSettings(listen="127.0.0.1:0"))
        self.server = Server(settings, clock=self.clock.server)

    @property
    def has_saved_all(self) -> bool:
        journal = self.server.status.journal
        return journal is not None and journal.writes > 0 and not journal.waiting

    async def readiness(self) -> tuple[int, list[str]]:
        """Ask /readyz; returns the status and the reasons."""
        status, body = await request_page(self.server.monitoring_port, "/readyz")
        return status, [reason.strip('"') for reason in body.partition("[")[2].partition("]")[0].split(", ") if reason]

    def ask_health(self) -> int:
        """Ask /healthz while nothing else runs on the event loop; returns the status."""
        with socket.create_connection(("127.0.0.1", self.server.monitoring_port)) as line:
            line.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
            return int(line.recv(100).split(b" ")[1])


@pytest.fixture
async def hosted(tmp_path: Path) -> AsyncIterator[Hosted]:
    hosted = Hosted(tmp_path / "data")
    await hosted.server.start()
    # Until the start's own writes are on the disk: one of them would notice what a test does to the folder.
    await eventually(lambda: hosted.has_saved_all)
    yield hosted
    await hosted.server.close()


async def test_a_loop_that_stands_still_is_unhealthy_until_it_runs(hosted: Hosted) -> None:
    assert hosted.ask_health() == 200
    hosted.clock.time += 1.9
    assert hosted.ask_health() == 200
    hosted.clock.time += 0.2
    assert hosted.ask_health() == 503

    await hosted.clock.elapse(TICK_SECONDS)

    assert hosted.ask_health() == 200
    lag = hosted.server.status.figures.lag.durations
    assert lag.counts[-2:] == [1, 0], "between 1 and 5 seconds"


async def test_the_processor_is_measured_while_the_loop_ticks(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoville_server.observation.process.read_processor_seconds", lambda: hosted.clock.time / 4)
    await hosted.clock.elapse(30.0)
    assert hosted.server.status.read_status().process.cpu_ratio == pytest.approx(0.25)


async def test_a_server_that_restores_is_healthy_but_not_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hosted = Hosted(tmp_path / "data")
    seen: list[tuple[int, list[str]]] = []
    load = Store.load_rows

    def look_during_load(store: Store) -> Any:
        with socket.create_connection(("127.0.0.1", hosted.server.monitoring_port)) as line:
            line.sendall(b"GET /readyz HTTP/1.0\r\n\r\n")
            seen.append((int(line.recv(100).split(b" ")[1]), hosted.server.status.read_status().reasons))
        hosted.clock.time += 60
        assert hosted.ask_health() == 200
        return load(store)

    monkeypatch.setattr(Store, "load_rows", look_during_load)
    await hosted.server.start()

    assert seen == [(503, ["starting"])]
    assert await hosted.readiness() == (200, [])
    assert hosted.ask_health() == 200
    await hosted.server.close()


async def test_a_full_disk_is_over_without_a_user(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL
    with monkeypatch.context() as patch:

        def refuse(*_: object, **__: object) -> None:
            raise full

        patch.setattr("scoville_server.journal.statements.Statements.write_changes", refuse)
        anna = await connect_user(hosted.server, "Anna")
        assert await code_of(anna, m.ClaimNameRequest(password="seven habaneros")) == "not_saved"
        assert await hosted.readiness() == (503, ["journal_failing"])
        failed = (await scrape_port(hosted.server.monitoring_port)).value_of("scoville_journal_failed_writes_total")
        assert failed >= 1
        await hosted.clock.elapse(2.0)
        assert await hosted.readiness() == (503, ["journal_failing"])

    def is_ready_after_a_while() -> bool:
        # Again and again: while the former probe is still at the journal's thread, the next one is left out.
        hosted.clock.advance(2.0)
        return hosted.server.status.read_status().ready

    await eventually(is_ready_after_a_while)

    assert await hosted.readiness() == (200, [])


async def test_a_vanished_folder_is_named(hosted: Hosted, tmp_path: Path) -> None:
    (tmp_path / "data").rename(tmp_path / "moved")
    assert await hosted.readiness() == (503, ["folder_lost"])
    (tmp_path / "moved").rename(tmp_path / "data")
    assert await hosted.readiness() == (200, [])


async def test_a_folder_that_was_missed_is_used_again(hosted: Hosted, tmp_path: Path) -> None:
    (tmp_path / "data").rename(tmp_path / "moved")
    anna = await connect_user(hosted.server, "Anna")
    assert await code_of(anna, m.ClaimNameRequest(password="seven habaneros")) == "not_saved"
    assert await hosted.readiness() == (503, ["journal_failing", "folder_lost"])
    (tmp_path / "moved").rename(tmp_path / "data")

    def is_ready_after_a_while() -> bool:
        hosted.clock.advance(2.0)
        return hosted.server.status.read_status().ready

    await eventually(is_ready_after_a_while)
    await anna.call(m.ClaimNameRequest(password="seven habaneros"))


async def test_a_journal_that_is_lost_stays_so(hosted: Hosted, tmp_path: Path) -> None:
    (tmp_path / "data").rename(tmp_path / "moved")
    shutil.copytree(tmp_path / "moved", tmp_path / "data", ignore=shutil.ignore_patterns("*.sock"))
    anna = await connect_user(hosted.server, "Anna")
    assert await code_of(anna, m.ClaimNameRequest(password="seven habaneros")) == "storage_lost"
    (tmp_path / "data").rename(tmp_path / "copy")
    (tmp_path / "moved").rename(tmp_path / "data")
    assert await hosted.readiness() == (503, ["journal_lost"])


async def test_a_small_disk_is_full_before_writes_fail(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage(NamedTuple):
        total: int = 9_000_000
        used: int = 8_999_000
        free: int = 1_000

    with monkeypatch.context() as patch:
        patch.setattr("scoville_server.observation.process.shutil.disk_usage", lambda _: Usage())
        assert await hosted.readiness() == (503, ["disk_full"])
    assert await hosted.readiness() == (200, [])
