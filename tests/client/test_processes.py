"""Processes beside a server are started again when they die, and stop with it."""

from pathlib import Path

from scoville_client.processes import Supervised
from tests.support.clock import FakeClock
from tests.support.idle import eventually


async def test_a_process_that_ends_is_started_again_after_growing_pauses(tmp_path: Path) -> None:
    clock, log = FakeClock(), tmp_path / "log"
    process = Supervised(["--version"], log, clock.clock)
    process.start()
    for start, pause in enumerate((1, 2, 4), 1):
        await eventually(lambda start=start: clock.alarms and process.starts == start)  # type: ignore[misc]
        assert log.read_text().count("scoville") == start
        clock.advance(pause)
    await eventually(lambda: process.starts == 4)
    await process.close()
    assert not clock.alarms


async def test_a_process_that_runs_is_stopped(tmp_path: Path) -> None:
    process = Supervised(["practice", "--plain", "no_thanks", "--players", "3"], tmp_path / "log", FakeClock().clock)
    process.start()
    await eventually(lambda: process.pid is not None)
    await process.close()
    assert process.pid is None
