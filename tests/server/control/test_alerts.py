"""Alerts of the status: one for each shipped rule, each fires at its bound, and a healthy server has none."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_runtime.host_status import DiskStatus, ServerStatus
from scoville_server.control.host_status import RULES, list_alerts
from tests.support.core import connect_user
from tests.support.server import toy_server
from tests.support.tree import ROOT

SHIPPED = ROOT / "packaging" / "monitoring" / "alerts.yml"


async def healthy() -> ServerStatus:
    """The status of a small server that runs."""
    server = toy_server()
    await server.start()
    await connect_user(server, "Anna")
    status = server.status.read_status()
    await server.close()
    quiet = replace(status.loop_lag, p50_seconds=0.0, p99_seconds=0.0)
    return replace(status, loop_lag=quiet, process=replace(status.process, memory_bytes_limit=0, open_files_limit=0))


def test_each_shipped_rule_has_an_alert() -> None:
    shipped = set(re.findall(r"- alert: (\w+)", Path(SHIPPED).read_text(encoding="utf-8")))
    assert {*RULES.values()} == shipped - {"ScovilleDown"}  # of a server that is down nobody reads a status


async def test_healthy_server_has_no_alerts() -> None:
    assert list_alerts(await healthy()) == []


@pytest.mark.parametrize(
    ("name", "part", "change"),
    [
        ("slow_loop", "loop_lag", {"p99_seconds": 0.11}),
        ("slow_moves", "moves", {"p99_seconds": 0.26}),
        ("memory_high", "process", {"resident_bytes": 96, "memory_bytes_limit": 100}),
        ("open_files_high", "process", {"open_files": 91, "open_files_limit": 100}),
        ("connections_high", "connections", {"total": 91, "limit": 100}),
        ("tables_high", "tables", {"total": 91, "limit": 100}),
        ("bots_waiting", "queues", {"bots": 51, "bots_limit": 100}),
        ("passwords_waiting", "queues", {"passwords": 91, "passwords_limit": 100}),
    ],
)
async def test_alert_fires_at_its_bound(name: str, part: str, change: dict[str, Any]) -> None:
    status = await healthy()
    [alert] = list_alerts(replace(status, **{part: replace(getattr(status, part), **change)}))
    assert (alert.name, alert.severity, alert.rule) == (name, "warning", RULES.get(name, ""))


async def test_alerts_of_codes_and_reasons_fire() -> None:
    status = replace(
        await healthy(),
        refusals_per_minute={"wrong_login": 6, "wrong_code": 4, "internal": 1},
        reasons=["disk_full", "draining"],
        reload_ok=False,
        clock_warning="The clock is wrong.",
        stopped_games={"heap": "3 of its calls did not end"},
    )
    assert {alert.name for alert in list_alerts(status)} == {
        "disk_full", "guessing", "internal_errors", "reload_failed", "clock", "games_stopped",
    }  # fmt: skip
    assert list_alerts(status)[0].name == "disk_full"


async def test_full_disk_is_not_called_nearly_full_too() -> None:
    status = await healthy()
    disk = DiskStatus(folder="/data", free_bytes=4 << 20, total_bytes=16 << 20, log_bytes=0, last_backup_ms=None)
    nearly = replace(status, disk=disk)
    full = replace(status, disk=replace(disk, free_bytes=1), reasons=["disk_full"])
    assert [[alert.name for alert in list_alerts(each)] for each in (nearly, full)] == [["disk_low"], ["disk_full"]]
