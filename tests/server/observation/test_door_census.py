"""Figures of doors: believed with the credential alone, added up once, and bounded whatever a door says."""

import random
from pathlib import Path
from typing import Any

import pytest

from scoville_server.observation.door_census import MOST_DOORS
from scoville_server.observation.metrics import MetricsPage
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol import messages as m
from tests.server.observation.test_metrics import MOST_SERIES
from tests.support.server import Caller, toy_shelf

CREDENTIAL = "c" * 43


@pytest.fixture
async def server(tmp_path: Path) -> Any:
    server = Server(Settings(data=tmp_path / "data"), toy_shelf())
    await server.start()
    server._services.figures.doors.use_secret(CREDENTIAL)
    yield server
    await server.close()


def report(number: int = 1, *counts: tuple[str, str, int], **more: Any) -> m.ReportDoorRequest:
    values = {"credential": CREDENTIAL, "transport": "ssh", "process": "one", "screen_sessions": 2, "line_sessions": 1}
    listed = [m.DoorCount(kind=kind, label=label, count=n) for kind, label, n in counts]  # type: ignore[arg-type]
    return m.ReportDoorRequest(**{**values, **more}, number=number, counts=listed)


def door(server: Server, *, secure: bool = True) -> Caller:
    caller = Caller(server, "192.0.2.1:1")
    caller.peer.secure = secure
    return caller


def series(server: Server) -> list[str]:
    page = MetricsPage(server.status).render_page().decode().splitlines()
    return [line for line in page if line.startswith("scoville_door")]


async def test_repeated_reports_are_counted_once(server: Server) -> None:
    first = door(server)
    for number in (1, 1, 2):
        await first.call(report(number, ("refusal", "too_many", 3), ("sent", "", 100)))
    status = server.status.read_status().doors["ssh"]
    assert (status.processes, status.sessions, status.refusals, status.sent_bytes) == (1, 3, 6, 200)


async def test_sessions_of_a_lost_door_do_not_count(server: Server) -> None:
    first = door(server)
    await first.call(report(1, ("connect", "screens", 2)))
    first.hang_up()
    status = server.status.read_status().doors["ssh"]
    assert (status.processes, status.sessions, status.connects) == (0, 0, 2)
    again = door(server)
    await again.call(report(1, ("connect", "screens", 2)))
    assert server.status.read_status().doors["ssh"].connects == 2, "the same report over another connection"


@pytest.mark.parametrize("wrong", ["", "c" * 42])
async def test_a_wrong_credential_is_refused_and_logged(server: Server, wrong: str) -> None:
    with pytest.raises(ScovilleError, match="not the server's door credential"):
        await door(server).call(report(credential=wrong))
    assert server.status.read_status().doors == {}


async def test_doors_speak_over_protected_connections_only(server: Server) -> None:
    with pytest.raises(ScovilleError, match="Unix socket or with TLS"):
        await door(server, secure=False).call(report())


async def test_a_door_that_lies_makes_no_series(server: Server) -> None:
    chance, before = random.Random(3), len(series(server))
    first = door(server)
    for number in range(1, 200):
        label = "".join(chance.choice('abcXYZ_"\n\u202e') for _ in range(12))
        kinds = ("connect", "disconnect", "refusal", "flood", "crash", "read", "sent")
        await first.call(report(number, *((kind, label, 1) for kind in kinds)))
    assert len(series(server)) == before
    assert "\\n" not in "".join(series(server))
    page = MetricsPage(server.status).render_page().decode().splitlines()
    assert len([line for line in page if not line.startswith("#")]) <= MOST_SERIES


async def test_so_many_doors_and_no_more(server: Server) -> None:
    first = door(server)
    for number in range(MOST_DOORS):
        await first.call(report(process=str(number)))
    with pytest.raises(ScovilleError, match="report to this server already"):
        await first.call(report(process="one more"))
