"""Pictures of No Thanks!, each beside what it must mean: Peter of the rulebook, and the end of his round."""

from collections.abc import Callable

import pytest

from scoville_client.boards.no_thanks import layout
from scoville_client.boards.no_thanks.scene import Scene
from scoville_client.boards.no_thanks.story import tell
from scoville_client.themes import DARK, LIGHT
from scoville_shared.games.no_thanks.facts import Took
from tests.support.gallery import SIZES, Gallery
from tests.support.no_thanks import PETER, SCORED, VIEW, scene, with_board

Compare = Callable[..., bool]
sizes = pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])


def picture(shown: Scene, look: str) -> Gallery:
    return Gallery(lambda width, height: layout.draw(shown, width, height), look)


@sizes
def test_peter_sees_what_the_14_would_do_for_him(snap_compare: Compare, size: tuple[int, int]) -> None:
    shown = scene()
    text = str(layout.draw(shown, *size))
    assert "22 points better" in text
    assert "[13] [15│16]" in text
    assert snap_compare(picture(shown, DARK.name), terminal_size=size)


@sizes
def test_the_scores_of_a_round_on_a_light_ground(snap_compare: Compare, size: tuple[int, int]) -> None:
    taken = Took(PETER, 14, 7, (13, 14, 15, 16), 13)
    *_, summed = tell(VIEW, [taken, SCORED], with_board(card=None, over=True))
    shown = scene(frame=summed)
    rows = [row.split() for row in str(layout.draw(shown, *size)).splitlines()]
    assert [row[1] for row in rows if row[:1] == ["▸"]] == ["Peter"]
    assert snap_compare(picture(shown, LIGHT.name), terminal_size=size)
