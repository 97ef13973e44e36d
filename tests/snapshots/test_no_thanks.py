"""Snapshots of No Thanks!, each with its expected content: Peter of the rulebook, and the end of his round."""

import re
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from scoville_client.tui.boards.no_thanks import layout
from scoville_client.tui.boards.no_thanks.board import animate_event
from scoville_client.tui.boards.no_thanks.scene import Choice, Scene
from scoville_client.tui.drawing.status import BoardStatus
from scoville_client.tui.themes import DARK, LIGHT
from scoville_shared.games.no_thanks.facts import Took
from tests.client.tui.boards.gallery import SIZES, Gallery
from tests.client.tui.boards.no_thanks.scenes import PETER, SCORED, VIEW, scene, with_board
from tests.client.tui.boards.seen import times

Compare = Callable[..., bool]
sizes = pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])


def picture(shown: Scene, look: str) -> Gallery:
    return Gallery(lambda width, height: layout.draw_table(shown, width, height), look)


@sizes
def test_peter_sees_what_the_14_would_do_for_him(snap_compare: Compare, size: tuple[int, int]) -> None:
    shown = scene()
    text = str(layout.draw_table(shown, *size))
    assert "23 → 1" in text
    assert ("│13│ │15│16│" if size == SIZES[0] else "[13] [15│16]") in text
    assert snap_compare(picture(shown, DARK.name), terminal_size=size)


@sizes
def test_the_scores_of_a_round_on_a_light_ground(snap_compare: Compare, size: tuple[int, int]) -> None:
    taken = Took(PETER, 14, 7, (13, 14, 15, 16), 13)
    *_, summed = animate_event(VIEW, [taken, SCORED], with_board(card=None, over=True))
    shown = scene(frame=summed)
    assert re.findall(r"▸ (\w+)", str(layout.draw_table(shown, *size))) == ["Peter"]
    assert snap_compare(picture(shown, LIGHT.name), terminal_size=size)


@sizes
def test_peter_has_seven_seconds_left(snap_compare: Compare, size: tuple[int, int]) -> None:
    shown = replace(scene(), status=BoardStatus(times("!0:07", "1:25", "")))
    assert "!0:07" in str(layout.draw_table(shown, *size))
    assert snap_compare(picture(shown, DARK.name), terminal_size=size)


@sizes
def test_through_peters_eyes_in_a_pause_on_a_light_ground(snap_compare: Compare, size: tuple[int, int]) -> None:
    status = BoardStatus(times("0:17", "1:25", "1:30"), paused=True, point_of_view=PETER)
    shown = replace(scene(replace(VIEW, chips=0)), status=status, choice=Choice(), marks=("◂", "", ""))
    text = " ".join(str(layout.draw_table(shown, *size)).split())
    assert "paused" in text
    assert "Peter's view." in text
    assert "no chips" in text
    assert "to pay" in text
    assert snap_compare(picture(shown, LIGHT.name), terminal_size=size)
