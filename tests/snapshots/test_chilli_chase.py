"""Snapshots of Chilli Chase, each with its expected content."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from scoville_client.i18n.language import render
from scoville_client.tui.boards.chilli_chase import layout, words
from scoville_client.tui.boards.chilli_chase.picker import pick_from
from scoville_client.tui.boards.chilli_chase.scene import Scene
from scoville_client.tui.drawing.status import BoardStatus
from scoville_client.tui.themes import DARK, LIGHT
from tests.client.tui.boards.chilli_chase.scenes import NAMES, asked, scene, seen
from tests.client.tui.boards.gallery import SIZES, Gallery
from tests.client.tui.boards.seen import stopped, times
from tests.shared.games.chilli_chase.tables import B, C

Compare = Callable[..., bool]
TIMES = times("2:10", "!0:07", "", "12:05", "0:30", "0:45")
sizes = pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])


def picture(shown: Scene, look: str) -> Gallery:
    return Gallery(lambda width, height: layout.draw_table(shown, width, height), look)


@sizes
def test_looking_lists_reaches_and_hits_of_every_card(snap_compare: Compare, size: tuple[int, int]) -> None:
    view = seen(14, (3, 4, 6), points=(2, 1, 0, 4, 3, 0))
    shown = scene(view, pick_from(view.board, view.hand, 3).moved_along(1).moved_along(1))
    assert "a point for Ben; you may change your Chilli Score." in " ".join(
        str(layout.draw_table(shown, *size)).split()
    )
    assert snap_compare(picture(shown, DARK.name), terminal_size=size)


@sizes
def test_ben_plays_against_the_clock_on_a_light_ground(snap_compare: Compare, size: tuple[int, int]) -> None:
    view = seen(14, (3, 4, 6), points=(2, 1, 0, 4, 3, 0), mover=B)
    shown = replace(scene(view), status=BoardStatus(TIMES))
    assert "!0:07" in str(layout.draw_table(shown, *size))
    assert snap_compare(picture(shown, LIGHT.name), terminal_size=size)


@sizes
def test_a_spectator_at_cleos_place_sees_a_pause(snap_compare: Compare, size: tuple[int, int]) -> None:
    view = replace(seen(14, points=(2, 1, 0, 4, 3, 0)), seat=None, hand=())
    status = BoardStatus(stopped(TIMES), paused=True, viewpoint=C)
    prompt = render(words.write_prompt(view, None, None, short=False, status=status), NAMES)
    shown = replace(scene(view), status=status, prompt=prompt, marks=("", "", "◂", "", "", ""))
    text = str(layout.draw_table(shown, *size))
    assert "paused" in text
    assert "At Cleo's seat. Anna plays." in text
    assert snap_compare(picture(shown, DARK.name), terminal_size=size)


@sizes
def test_a_new_score_is_chosen_on_a_light_ground(snap_compare: Compare, size: tuple[int, int]) -> None:
    shown = scene(asked(seen(-999, points=(2, 1, 0, 4, 3, 0))), wanted=10)
    assert "Taken: 11 (Ben)" in str(layout.draw_table(shown, *size))
    assert snap_compare(picture(shown, LIGHT.name), terminal_size=size)
