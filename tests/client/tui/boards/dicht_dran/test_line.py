"""The number line: every card in its position, the gap as a band, the target."""

from itertools import pairwise

import pytest

from scoville_client.tui.boards.dicht_dran.stage import HEIGHT, Pin, column_of, draw_line
from scoville_client.tui.drawing.canvas import Canvas
from tests.client.tui.boards.dicht_dran.scenes import BOARD, HAND

WIDTHS = [44, 76, 100]


def drawn(width: int, hand: tuple[int, ...] = HAND, rows: int = 2) -> Canvas:
    canvas = Canvas(width, HEIGHT)
    draw_line(canvas, 0, 0, width, BOARD, [Pin(card, "card") for card in hand], rows)
    return canvas


@pytest.mark.parametrize("width", WIDTHS)
def test_the_ends_and_the_order_of_the_numbers_are_kept(width: int) -> None:
    places = [column_of(card, width) for card in range(1, 101)]
    assert (places[0], places[-1]) == (0, width - 1)
    assert all(left <= right for left, right in pairwise(places))


@pytest.mark.parametrize("width", WIDTHS)
def test_every_card_has_its_mark_on_the_line(width: int) -> None:
    canvas = drawn(width)
    for card in set(HAND) - {66}:
        assert canvas.char(column_of(card, width), 1) in "┬┯", card


@pytest.mark.parametrize("width", WIDTHS)
def test_every_card_of_the_hand_is_named_near_its_place(width: int) -> None:
    canvas = drawn(width)
    for card in HAND:
        rows = [canvas.line(y) for y in (2, 3)]
        assert any(abs(row.find(str(card)) - column_of(card, width)) <= 3 for row in rows if str(card) in row), card


@pytest.mark.parametrize("width", WIDTHS)
def test_the_target_and_the_ends_of_the_gap_are_named(width: int) -> None:
    canvas = drawn(width)
    assert canvas.char(column_of(67, width), 1) == "◆"
    assert canvas.line(0).split() == ["1", "gap", "38", "67"]


@pytest.mark.parametrize("width", WIDTHS)
def test_the_band_covers_what_lies_strictly_inside_the_gap(width: int) -> None:
    canvas = drawn(width, hand=())
    banded = {x for x in range(width) if canvas.style(x, 2) == "band"}
    assert banded == set(range(column_of(1, width) + 1, column_of(38, width)))
    assert canvas.char(column_of(38, width), 1) == "┫"


def test_a_crowd_keeps_all_marks_and_loses_only_labels() -> None:
    hand = tuple(range(3, 99, 2))
    canvas = drawn(44, hand, rows=1)
    assert {column_of(card, 44) for card in hand} - {column_of(67, 44)} <= {
        x for x in range(44) if canvas.char(x, 1) in "┬┯"
    }
    labels = [int(label) for label in canvas.line(2).split()]
    assert labels == sorted(labels)
    assert set(labels) <= set(hand)
