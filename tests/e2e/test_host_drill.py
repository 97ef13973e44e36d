"""The short form of `scripts/host_drill`: each point holds, and does not with a server that lacks what it shows."""

import asyncio
import re
from pathlib import Path

import pytest

from tests.e2e.host_drill.__main__ import POINTS, show_point
from tests.e2e.host_drill.drill import Drill, Point
from tests.support.warm_start import SERVER

POINT_OF = {point.number: point for point in POINTS}
SHOWN = (2, 4, 5, 6, 7, 11, 16, 18, 20)
"""Points that have a short form of few seconds; `test_restarts_under_play.py` is that of the restarts."""

FAULTS = {
    4: (
        "import scoville_server.cli.serving as s; s.ReloadSignal.begin_reloading = lambda self: None",
        "no line for each change",
    ),
    6: (
        "import scoville_server.observation.figures as s; s.EventFigures.take_event = lambda *_: None",
        "0 refusals counted, not 36",
    ),
    7: (
        "import scoville_server.observation.status as s; s.StatusReader.list_reasons = lambda *_: []",
        "a vanished folder is not noticed",
    ),
    10: ("import scoville_runtime.events as s; s.EventLog.close_sink = lambda self: None", "are not 300 refusals"),
    18: (
        "import scoville_server.moderation.records as s; s._DAY_MS = 86_400_000_000",
        "after eleven days there is still something",
    ),
}
"""What each of some points must notice, and how it says so: it is done before the server runs."""
PATIENCE_WITH_FAULTS = 2.0
"""Seconds that something may take which never comes."""


def test_every_point_of_the_list_is_there() -> None:
    assert sorted(point.number for point in POINTS) == [*range(1, 21)]
    assert all(point.show is not None or point.tests for point in POINTS)


@pytest.mark.parametrize("number", SHOWN)
async def test_the_point_holds(tmp_path: Path, number: int) -> None:
    shown = await show_point(POINT_OF[number], tmp_path, whole=False)
    assert shown.held, shown


@pytest.mark.parametrize("number", FAULTS)
async def test_a_server_that_lacks_it_is_noticed(tmp_path: Path, number: int) -> None:
    fault, noticed = FAULTS[number]
    code = f"{fault}; {SERVER}"
    shown = await show_point(POINT_OF[number], tmp_path, whole=False, code=code, patience=PATIENCE_WITH_FAULTS)
    assert shown.held is False
    assert noticed in shown.done


async def test_an_answer_that_never_comes_ends_no_drill(tmp_path: Path) -> None:
    async def show(_: Drill) -> str:
        closed = asyncio.get_running_loop().create_future()
        closed.cancel()
        return str(await closed)

    shown = await show_point(Point(1, "a connection is closed", show), tmp_path, whole=False)
    assert shown.held is False
    assert "closed before its answer" in shown.done


async def test_all_errors_of_a_point_are_named(tmp_path: Path) -> None:
    async def show(_: Drill) -> str:
        raise ExceptionGroup("2 sub-exceptions", [ValueError("one"), ExceptionGroup("more", [KeyError("other")])])

    shown = await show_point(Point(1, "several things go wrong", show), tmp_path, whole=False)
    assert shown.held is False
    assert shown.done.startswith("ValueError: one; KeyError: 'other'")

    async def wait_in_vain(_: Drill) -> str:
        raise TimeoutError

    shown = await show_point(Point(1, "something takes too long", wait_in_vain), tmp_path, whole=False)
    assert re.fullmatch(r"TimeoutError:  \(tests/e2e/test_host_drill\.py:\d+\)", shown.done)


async def test_a_drill_can_be_interrupted(tmp_path: Path) -> None:
    begun = asyncio.Event()

    async def show(_: Drill) -> str:
        begun.set()
        await asyncio.Event().wait()
        return ""

    showing = asyncio.ensure_future(show_point(Point(1, "it takes for ever", show), tmp_path, whole=False))
    await begun.wait()
    showing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await showing
