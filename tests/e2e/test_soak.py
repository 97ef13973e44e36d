"""A few people live at a server for a moment: short here, two hundred for ten minutes with `scripts/soak`."""

from pathlib import Path

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
