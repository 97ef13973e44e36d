"""Pictures, each beside what it must mean. `pytest tests/snapshots --snapshot-update` takes them anew.

The tables are drawn from the rulebook's example, so that no bot's mind shows in a picture.
"""

from collections.abc import Callable

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from scoville_client.app import ScovilleApp
from scoville_client.boards.canvas import Canvas
from scoville_client.boards.dicht_dran import layout
from scoville_client.boards.dicht_dran.scene import Scene
from scoville_client.boards.dicht_dran.story import tell
from scoville_client.start import Start
from scoville_client.themes import DARK, LIGHT
from scoville_client.widgets.painting import Painting
from tests.support.dicht_dran import EXAMPLE, VIEW, scene
from tests.support.screens import WIDE, Player

Compare = Callable[..., bool]
SIZES = [(80, 23), (46, 18)]
sizes = pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])


class Picture(Painting):
    def __init__(self, shown: Scene) -> None:
        super().__init__()
        self.shown = shown

    def draw(self, width: int, height: int) -> Canvas:
        return layout.draw(self.shown, width, height)


class Gallery(App[None]):
    """One scene in one look."""

    def __init__(self, shown: Scene, look: str) -> None:
        super().__init__()
        self.shown = shown
        for theme in (DARK, LIGHT):
            self.register_theme(theme)
        self.theme = look

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return DARK.variables

    def compose(self) -> ComposeResult:
        yield Picture(self.shown)


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
    assert snap_compare(Gallery(shown, DARK.name), terminal_size=size)


@sizes
def test_linus_wins_the_target_on_a_light_ground(snap_compare: Compare, size: tuple[int, int]) -> None:
    shown = scene(VIEW, frame=tell(VIEW, EXAMPLE)[1])
    assert "wins 67" in str(layout.draw(shown, *size))
    assert snap_compare(Gallery(shown, LIGHT.name), terminal_size=size)
