"""The circle: six cards clockwise, the target pushed inward, the rim cards marked."""

import pytest

from scoville_client.tui.boards.dicht_dran import cards
from scoville_client.tui.drawing.canvas import Canvas
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from tests.client.tui.boards.dicht_dran.scenes import with_target

PEPPERS = peppers_by_card(None)
AREA = (0, 0, 44, 11)


def drawn(target: int) -> Canvas:
    canvas = Canvas(AREA[2], AREA[3])
    cards.draw_circle(canvas, AREA, with_target(target), PEPPERS)
    return canvas


@pytest.mark.parametrize("target", range(6))
def test_all_six_cards_are_there(target: int) -> None:
    canvas = drawn(target)
    assert all(str(card) in str(canvas) for card in with_target(target).circle)


@pytest.mark.parametrize("target", range(6))
def test_the_target_lies_inside_the_ring(target: int) -> None:
    x, y, wide, high = cards.lay_ring(AREA).inside
    canvas = drawn(target)
    assert canvas.char(x, y) == "╔"
    inside = "".join(canvas.line(row)[x : x + wide] for row in range(y, y + high))
    assert str(with_target(target).target_card) in inside


@pytest.mark.parametrize("size", [(40, 9), (44, 11), (60, 21), (160, 40)], ids=str)
def test_no_two_cards_of_the_ring_touch(size: tuple[int, int]) -> None:
    ring = cards.lay_ring((0, 0, *size))
    cells = [
        (column, row)
        for x, y, wide, high in (*ring.rim, ring.inside)
        for column in range(x, x + wide)
        for row in range(y, y + high)
    ]
    assert len(cells) == len(set(cells))
    assert all(0 <= column < size[0] and 0 <= row < size[1] for column, row in cells)


@pytest.mark.parametrize("target", range(6))
def test_both_neighbours_of_the_target_are_rim(target: int) -> None:
    canvas = drawn(target)
    marked = {slot for slot, (x, y, _, _) in enumerate(cards.lay_ring(AREA).rim) if canvas.char(x, y) == "┏"}
    assert marked == {(target - 1) % 6, (target + 1) % 6}


@pytest.mark.parametrize("target", range(6))
def test_the_open_place_names_the_gap(target: int) -> None:
    low, high = with_target(target).gap
    assert f"{low}-{high}" in str(drawn(target))


@pytest.mark.parametrize("target", range(6))
def test_arrows_point_clockwise_and_leave_the_gap_open(target: int) -> None:
    arrows = {sign for sign in str(drawn(target)) if sign in "↗→↘↙←↖"}
    assert len(arrows) == 4


def test_peppers_are_dots_that_can_be_counted() -> None:
    text = str(drawn(1))
    assert text.count("●") == sum(PEPPERS[card] for card in with_target(1).circle)


@pytest.mark.parametrize("target", range(6))
def test_the_small_circle_shows_the_same(target: int) -> None:
    canvas = Canvas(cards.CHIPS_WIDTH, cards.CHIPS_HEIGHT)
    board = with_target(target)
    cards.draw_chips(canvas, 0, 0, board, PEPPERS)
    low, high = board.gap
    text = str(canvas)
    assert f"◆{board.target_card}●" in text
    assert f"[{low}●" in text
    assert f"[{high}●" in text
    assert text.count("(") == 3
    assert text.count("●") == sum(PEPPERS[card] for card in board.circle)
