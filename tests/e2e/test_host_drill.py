"""The short form of `scripts/host_drill`: each point holds, and does not with a server that lacks what it shows."""

from pathlib import Path

import pytest

from tests.e2e.host_drill.__main__ import POINTS, show_point
from tests.support.warm_start import SERVER

POINT_OF = {point.number: point for point in POINTS}
SHOWN = (2, 4, 5, 6, 7, 11, 16, 18, 20)
"""Points that have a short form of few seconds; `test_restarts_under_play.py` is that of the restarts."""

FAULTS = {
    4: "import scoville_server.cli.serving as s; s.ReloadSignal.begin_reloading = lambda self: None",
    6: "import scoville_server.observation.event_figures as s; s.EventFigures.take_event = lambda *_: None",
    10: "import scoville_runtime.events as s; s.EventLog.close_sink = lambda self: None",
    18: "import scoville_server.moderation.retention as s; s._DAY_MS = 86_400_000_000",
}
"""What each of some points must notice: it is done before the server runs."""


def test_every_point_of_the_list_is_there() -> None:
    assert sorted(point.number for point in POINTS) == [*range(1, 21)]
    assert all(point.show is not None or point.tests for point in POINTS)


@pytest.mark.parametrize("number", SHOWN)
async def test_the_point_holds(tmp_path: Path, number: int) -> None:
    shown = await show_point(POINT_OF[number], tmp_path, whole=False)
    assert shown.held, shown


@pytest.mark.parametrize("number", FAULTS)
async def test_a_server_that_lacks_it_is_noticed(tmp_path: Path, number: int) -> None:
    shown = await show_point(POINT_OF[number], tmp_path, whole=False, code=f"{FAULTS[number]}; {SERVER}")
    assert shown.held is False, shown
