"""A few people live at a server for a moment: short here, two hundred for ten minutes with `scripts/soak`."""

from pathlib import Path

import pytest

from tests.e2e.soak.ledger import Ledger
from tests.e2e.soak.memory import Scales
from tests.e2e.soak.town import SETTINGS, Town, actions
from tests.support.process import ServerProcess


async def test_nobody_is_stuck_where_people_come_and_go_and_play(tmp_path: Path) -> None:
    settings = tmp_path / "soak.toml"
    settings.write_text(SETTINGS, encoding="utf-8")
    server = ServerProcess(tmp_path / "data", "--config", str(settings))
    await server.start()
    town = Town(server, people=10, seed=4)
    try:
        await town.live(actions(40))
    finally:
        complaints = await server.stop()
    assert complaints == ""
    assert town.ledger.faults == []
    assert town.ledger.answers > 300
    assert {"go_on", "drop_the_line", "quick_match", "open_a_table", "move at a client"} <= {*town.ledger.done}


def test_the_growth_by_quarter_shows_a_plateau() -> None:
    scales = Scales(pid=0, every=5)
    scales.weights = [(float(second), 40.0 + min(second, 300) / 10) for second in range(0, 601, 5)]
    first, second, third, fourth = scales.by_quarter()
    assert first == pytest.approx(6.0)
    assert second == pytest.approx(6.0)
    assert (third, fourth) == (pytest.approx(0.0, abs=1e-9), pytest.approx(0.0, abs=1e-9))


@pytest.mark.parametrize(
    ("method", "code", "faults"),
    [("table.pause", "game_over", 0), ("table.play", "game_over", 1), ("table.pause", "internal", 1)],
)
def test_a_refusal_is_a_fault_unless_it_belongs_to_the_request(method: str, code: str, faults: int) -> None:
    ledger = Ledger()
    ledger.refuse(method, code, "No.")
    assert len(ledger.faults) == faults
    assert ledger.refused[method, code] == 1
