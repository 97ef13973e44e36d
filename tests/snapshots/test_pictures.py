"""Pictures, each beside what it must mean. `pytest tests/snapshots --snapshot-update` takes them anew.

The tables are drawn from the rulebook's example, so that no bot's mind shows in a picture.
"""

from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from scoville_client.app import ScovilleApp
from scoville_client.boards.dicht_dran import layout
from scoville_client.boards.dicht_dran.scene import Scene
from scoville_client.boards.dicht_dran.story import tell
from scoville_client.start import Start
from scoville_client.themes import DARK, LIGHT
from tests.support.dicht_dran import EXAMPLE, VIEW, scene
from tests.support.gallery import SIZES, Gallery
from tests.support.screens import WIDE, Player

Compare = Callable[..., bool]
sizes = pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])


def picture(shown: Scene, look: str) -> Gallery:
    return Gallery(lambda width, height: layout.draw(shown, width, height), look)


def test_the_first_screen_offers_practice_first(snap_compare: Compare) -> None:
    async def meaning(pilot: Pilot[int]) -> None:
        await Player(pilot.app, pilot).sees("▸ p  Practise")  # type: ignore[arg-type]

    assert snap_compare(ScovilleApp(Start()), terminal_size=WIDE, run_before=meaning)


@sizes
def test_a_look_tells_which_cards_fit_and_which_is_closest(snap_compare: Compare, size: tuple[int, int]) -> None:
    shown = scene(VIEW, selected=33, prompt="33 is 34 from 67. It fits the gap.")
    text = str(layout.draw(shown, *size))
    assert "fits" in text
    assert "closest" in text
    assert snap_compare(picture(shown, DARK.name), terminal_size=size)


@sizes
def test_linus_wins_the_target_on_a_light_ground(snap_compare: Compare, size: tuple[int, int]) -> None:
    shown = scene(VIEW, frame=tell(VIEW, EXAMPLE)[1])
    assert "wins 67" in str(layout.draw(shown, *size))
    assert snap_compare(picture(shown, LIGHT.name), terminal_size=size)
