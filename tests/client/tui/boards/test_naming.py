"""Disconnected players are marked in their row, on every board and in every width."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_client.tui.boards.chilli_chase import layout as chilli_chase
from scoville_client.tui.boards.dicht_dran import layout as dicht_dran
from scoville_client.tui.boards.no_thanks import layout as no_thanks
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.status import put_name
from tests.client.tui.boards.chilli_chase.scenes import scene as chilli_chase_scene
from tests.client.tui.boards.chilli_chase.scenes import seen
from tests.client.tui.boards.dicht_dran.scenes import scene as dicht_dran_scene
from tests.client.tui.boards.no_thanks.scenes import scene as no_thanks_scene

BOARDS: dict[str, tuple[Callable[[Any, int, int], Canvas], Any]] = {
    "chilli_chase": (chilli_chase.draw_table, chilli_chase_scene(seen(12))),
    "dicht_dran": (dicht_dran.draw_table, dicht_dran_scene()),
    "no_thanks": (no_thanks.draw_table, no_thanks_scene()),
}


@pytest.mark.parametrize(
    ("width", "drawn"),
    [(12, "Caro (away)|"), (10, "Ca… (away)|"), (9, "Caro ?|"), (8, "Caro ?|"), (4, "C… ?|"), (3, "Ca…|")],
)
def test_marks_leave_room_for_the_name(width: int, drawn: str) -> None:
    canvas = Canvas(width, 1)
    put_name(canvas, 0, 0, width, "Caro", "text", "(away)")
    assert canvas.line(0).rstrip() + "|" == drawn


@pytest.mark.parametrize("size", [(80, 24), (46, 19)], ids=["80x24", "46x19"])
@pytest.mark.parametrize("slug", BOARDS)
def test_seats_show_absence_and_replacement(slug: str, size: tuple[int, int]) -> None:
    draw, usual = BOARDS[slug]
    drawn = str(draw(replace(usual, marks=["", "(bot)", "(away)"]), *size))
    assert drawn.count("(bot)") == 1
    away = drawn.count("(away)")
    assert away == 1 or (away == 0 and drawn.count(" ? ") == 1)
    before = str(draw(usual, *size)).splitlines()
    rows = [row for row, line in enumerate(drawn.splitlines()) if line != before[row]]
    assert 1 <= len(rows) <= 2, "tiles beside each other share a row"
