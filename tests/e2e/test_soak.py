"""A short soak test with a few users; `scripts/soak` runs two hundred for ten minutes."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.soak import run
from tests.e2e.soak.ledger import Ledger
from tests.e2e.soak.memory import Scales
from tests.e2e.soak.run import SETTINGS, SoakRun, do_actions
from tests.support.process import ServerProcess


async def test_nobody_is_stuck_where_users_come_and_go_and_play(tmp_path: Path) -> None:
    settings = tmp_path / "soak.toml"
    settings.write_text(SETTINGS, encoding="utf-8")
    server = ServerProcess(tmp_path / "data", "--config", str(settings))
    await server.start()
    soak = SoakRun(server, users=10, seed=4, moment=0.02)
    try:
        await soak.live(do_actions(60))
    finally:
        complaints = await server.stop()
    assert complaints == ""
    assert soak.ledger.faults == []
    assert soak.ledger.answers > 300
    assert {"go_on", "drop_the_line", "quick_match", "open_a_table", "move at a client"} <= {*soak.ledger.done}


async def test_where_the_end_never_comes_the_soak_ends_with_faults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "TIMEOUT", 0.2)
    server = ServerProcess(tmp_path / "data")
    await server.start()
    soak = SoakRun(server, users=10, seed=4, moment=0.02)
    finish = soak._finish

    async def finish_without_a_server() -> None:
        await server.kill()
        await finish()

    monkeypatch.setattr(soak, "_finish", finish_without_a_server)
    async with asyncio.timeout(60):
        await soak.live(do_actions(10))
    assert any("lost the line or an answer in the end" in fault for fault in soak.ledger.faults)


def weighed(weight: Callable[[float], float]) -> Scales:
    scales = Scales(pid=0, every=5)
    scales.weights = [(float(second), 40 + weight(second / 60)) for second in range(0, 601, 5)]
    return scales


@pytest.mark.parametrize(
    ("weight", "faults"),
    [
        (lambda minute: 70 * min(minute, 1) + min(minute, 5) / 2, 0),  # it reaches its bounds
        (lambda minute: 2 * minute, 2),  # a leak from the beginning
        (lambda minute: max(0, minute - 8) * 4, 1),  # a leak by something that happens late
    ],
)
def test_memory_that_still_grows_in_the_end_is_a_fault(weight: Callable[[float], float], faults: int) -> None:
    assert len(weighed(weight).faults(600)) == faults
    assert weighed(weight).faults(60) == [], "a minute says nothing"


def test_the_growth_by_quarter_shows_a_plateau() -> None:
    scales = weighed(lambda minute: 6 * min(minute, 5))
    first, second, third, fourth = scales.by_quarter()
    assert first == pytest.approx(6.0)
    assert second == pytest.approx(6.0)
    assert (third, fourth) == (pytest.approx(0.0, abs=1e-9), pytest.approx(0.0, abs=1e-9))


@pytest.mark.parametrize(
    ("method", "code", "faults"),
    [("table.pause", "game_over", 0), ("table.play", "game_over", 1), ("table.pause", "internal", 1)],
)
def test_a_refusal_must_belong_to_its_request(method: str, code: str, faults: int) -> None:
    ledger = Ledger()
    ledger.refuse(method, code, "No.")
    assert len(ledger.faults) == faults
    assert ledger.refused[method, code] == 1
