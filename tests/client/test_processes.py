"""Processes beside a server are started again when they die, and stop with it."""

from pathlib import Path

from scoville_client.processes import LOG_BYTES, BoundedLog, Supervised
from tests.support.clock import FakeClock
from tests.support.idle import eventually


async def test_a_process_that_ends_is_started_again_after_growing_pauses(tmp_path: Path) -> None:
    clock, log = FakeClock(), tmp_path / "log"
    process = Supervised(["--version"], log, clock.clock)
    process.start()
    for start, pause in enumerate((0.5, 1, 2), 1):
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


async def test_a_process_that_cannot_start_is_retried(tmp_path: Path) -> None:
    folder, clock = tmp_path / "folder", FakeClock()
    process = Supervised(["--version"], folder / "log", clock.clock)
    process.start()
    await eventually(lambda: clock.alarms and process.starts == 1)
    folder.mkdir()
    clock.advance(1)
    await eventually(lambda: clock.alarms and process.starts == 2)
    assert "scoville" in (folder / "log").read_text()
    await process.close()
    assert not clock.alarms


async def test_a_process_that_never_started_is_closed_without_an_error(tmp_path: Path) -> None:
    clock = FakeClock()
    process = Supervised(["--version"], tmp_path / "gone" / "log", clock.clock)
    process.start()
    await eventually(lambda: clock.alarms)
    await process.close()
    assert process.pid is None


async def test_how_often_in_a_row_it_has_ended_is_reported(tmp_path: Path) -> None:
    clock, ends = FakeClock(), list[int]()
    process = Supervised(["--version"], tmp_path / "log", clock.clock, ends.append)
    process.start()
    for times in (1, 2, 3):
        await eventually(lambda times=times: clock.alarms and len(ends) == times)  # type: ignore[misc]
        clock.advance(4)
    await process.close()
    assert ends[:3] == [1, 2, 3]


def test_a_log_is_bounded_and_keeps_what_was_last(tmp_path: Path) -> None:
    log = BoundedLog(tmp_path / "log")
    line = b"x" * 99_999 + b"\n"
    for _ in range(35):
        log.append(line)
    log.append(b"the last line\n")
    files = {file.name: file.stat().st_size for file in tmp_path.iterdir()}
    assert set(files) == {"log", "log.old"}
    assert max(files.values()) <= LOG_BYTES
    assert (tmp_path / "log").read_bytes().endswith(b"the last line\n")
