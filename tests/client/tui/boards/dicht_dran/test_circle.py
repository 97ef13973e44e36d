"""The circle: six cards clockwise, the target pushed inward, the rim cards marked."""

from math import dist

import pytest

from scoville_client.tui.boards.dicht_dran import circle
from scoville_client.tui.drawing.canvas import Canvas
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from tests.support.dicht_dran import with_target

PEPPERS = peppers_by_card(None)
CENTRE = (12, 4)


def drawn(target: int) -> Canvas:
    canvas = Canvas(circle.SMALL.width, circle.SMALL.height)
    circle.draw_circle(canvas, 0, 0, with_target(target), PEPPERS)
    return canvas


def find(canvas: Canvas, card: int) -> tuple[int, int]:
    return next((x, y) for y in range(canvas.height) if (x := f" {canvas.line(y)} ".find(f"{card:>3} ") - 1) >= 0)


@pytest.mark.parametrize("target", range(6))
def test_all_six_cards_are_there(target: int) -> None:
    canvas = drawn(target)
    assert all(str(card) in str(canvas) for card in with_target(target).circle)


@pytest.mark.parametrize("target", range(6))
def test_the_target_lies_inside_its_rim_place(target: int) -> None:
    board = with_target(target)
    x, y = circle.SMALL.inward[target]
    assert dist((x, 2 * y), (CENTRE[0], 2 * CENTRE[1])) < dist(
        (circle.SMALL.rim[target][0], 2 * circle.SMALL.rim[target][1]), (CENTRE[0], 2 * CENTRE[1])
    )
    canvas = drawn(target)
    assert canvas.char(x, y) == "╔"
    assert str(board.target_card) in canvas.line(y + 1)[x : x + 6]


@pytest.mark.parametrize("target", range(6))
def test_both_neighbours_of_the_target_are_rim(target: int) -> None:
    canvas = drawn(target)
    marked = {slot for slot, (x, y) in enumerate(circle.SMALL.rim) if canvas.char(x, y) == "┏"}
    assert marked == {(target - 1) % 6, (target + 1) % 6}


@pytest.mark.parametrize("target", range(6))
def test_the_open_place_names_the_gap(target: int) -> None:
    low, high = with_target(target).gap
    assert f"{low}-{high}" in str(drawn(target))


@pytest.mark.parametrize("target", range(6))
def test_arrows_point_clockwise_and_leave_the_gap_open(target: int) -> None:
    arrows = [sign for sign in str(drawn(target)) if sign in "↗→↘↙←↖"]
    assert len(arrows) == 4


def test_peppers_are_dots_that_can_be_counted() -> None:
    text = str(drawn(1))
    assert text.count("●") == sum(PEPPERS[card] for card in with_target(1).circle)


@pytest.mark.parametrize("target", range(6))
def test_the_small_circle_shows_the_same(target: int) -> None:
    canvas = Canvas(circle.CHIPS_WIDTH, circle.CHIPS_HEIGHT)
    board = with_target(target)
    circle.draw_chips(canvas, 0, 0, board, PEPPERS)
    low, high = board.gap
    text = str(canvas)
    assert f"◆{board.target_card}●" in text
    assert f"[{low}●" in text
    assert f"[{high}●" in text
    assert text.count("(") == 3
    assert text.count("●") == sum(PEPPERS[card] for card in board.circle)
