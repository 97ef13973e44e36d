"""Snapshots, each with its expected content. `pytest tests/snapshots --snapshot-update` renews them.

The tables are drawn from the rulebook's example, so that no bot's mind shows in a picture.
"""

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from scoville_client.i18n.language import render
from scoville_client.session.start_options import Start
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.boards.dicht_dran import layout
from scoville_client.tui.boards.dicht_dran.board import animate_event, write_prompt
from scoville_client.tui.boards.dicht_dran.scene import Scene
from scoville_client.tui.drawing.status import BoardStatus
from scoville_client.tui.themes import DARK, LIGHT
from tests.client.tui.boards.dicht_dran.scenes import EXAMPLE, NAMES, PAUL, VIEW, scene
from tests.client.tui.boards.gallery import SIZES, Gallery
from tests.client.tui.boards.seen import stopped, times
from tests.support.screens import WIDE, Player

Compare = Callable[..., bool]
TIMES = times("!0:07", "1:25", "+0:23", "+12:05")
sizes = pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])


def picture(shown: Scene, look: str) -> Gallery:
    return Gallery(lambda width, height: layout.draw_table(shown, width, height), look)


def test_the_first_screen_offers_practice_first(snap_compare: Compare) -> None:
    async def meaning(pilot: Pilot[int]) -> None:
        await Player(pilot.app, pilot).sees("▸ p  Practise")  # type: ignore[arg-type]

    assert snap_compare(ScovilleApp(Start()), terminal_size=WIDE, run_before=meaning)


@sizes
def test_a_look_tells_which_cards_fit_and_which_is_closest(snap_compare: Compare, size: tuple[int, int]) -> None:
    shown = scene(VIEW, selected=33, prompt="33 is 34 from 67. It fits the gap.")
    text = str(layout.draw_table(shown, *size))
    assert "fits" in text
    assert "closest" in text
    assert snap_compare(picture(shown, DARK.name), terminal_size=size)


@sizes
def test_linus_wins_the_target_on_a_light_ground(snap_compare: Compare, size: tuple[int, int]) -> None:
    shown = scene(VIEW, frame=animate_event(VIEW, EXAMPLE)[1])
    assert "wins 67" in str(layout.draw_table(shown, *size))
    assert snap_compare(picture(shown, LIGHT.name), terminal_size=size)


@sizes
def test_paul_has_chosen_and_the_others_think_by_the_clock(snap_compare: Compare, size: tuple[int, int]) -> None:
    view = replace(VIEW, chosen=(False, True, False, False))
    shown = replace(scene(view, selected=33, prompt="33 is 34 from 67. It fits the gap."), status=BoardStatus(TIMES))
    rows = [row for row in str(layout.draw_table(shown, *size)).splitlines() if "■" in row and "●: pepper" not in row]
    assert [row.split()[-3:] for row in rows] in ([["1:25", "8", "0"]], [["8", "0", "0"]])
    assert snap_compare(picture(shown, LIGHT.name), terminal_size=size)


@sizes
def test_a_spectator_at_pauls_place_sees_a_pause(snap_compare: Compare, size: tuple[int, int]) -> None:
    view = replace(VIEW, seat=None, hand=(), chosen=(False, True, False, False))
    status = BoardStatus(stopped(TIMES), paused=True, viewpoint=PAUL)
    said = render(write_prompt(view, None, short=False, status=status), NAMES)
    shown = replace(scene(view, selected=None, prompt=said), status=status, marks=("", "◂", "", ""))
    text = str(layout.draw_table(shown, *size))
    assert "paused" in text
    assert "At Paul's seat. Choosing: Anna, Max, Linus." in text
    assert snap_compare(picture(shown, DARK.name), terminal_size=size)
