"""Drawing of the table: the total and its formula, scores and points of all players."""

import re
from itertools import pairwise

import pytest
from msgspec.structs import replace

from scoville_client.tui.boards.chilli_chase import layout
from scoville_client.tui.boards.chilli_chase.picker import list_columns
from scoville_client.tui.boards.chilli_chase.total import draw_equation, list_terms
from scoville_client.tui.drawing import digits
from scoville_client.tui.drawing.canvas import Canvas
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.state import Options
from scoville_shared.ids import Seat
from tests.client.tui.boards.chilli_chase.scenes import NAMES, NARROW, SCORES, WIDE, asked, scene, seen
from tests.shared.games.chilli_chase.tables import A, lay_out

sizes = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
totals = pytest.mark.parametrize("total", [8, -3, 9999, -9999, 999_999, -999_999])


def in_large(total, wide):
    """The rows of blocks that a number is made of."""
    canvas = Canvas(digits.width_of_number(total, wide), digits.ROWS)
    digits.draw_number(canvas, 0, 0, total, wide, "text")
    return [canvas.line(y) for y in range(digits.ROWS)]


def text_of(view, size, **more):
    return str(layout.draw_table(scene(view, **more), *size))


@totals
def test_a_total_stands_whole_in_large(total):
    rows = text_of(seen(total, options=Options(cap=999_999)), NARROW).splitlines()
    top, left = 1, 1
    shown = [rows[top + y][left:] for y in range(digits.ROWS)]
    assert any(
        all(row.ljust(60).startswith(large) for row, large in zip(shown, in_large(total, wide), strict=True))
        for wide in (1, 2)
    )


def test_numbers_of_one_length_take_one_width():
    assert digits.width_of_number(111_111, 1) == digits.width_of_number(999_999, 1) == 23
    assert digits.width_of_number(-9999, 1) == 18


@sizes
def test_everything_about_everybody_is_there(size):
    text = text_of(seen(14, points=(0, 1, 2, 3, 4, 0)), size)
    for name, score, points in zip(NAMES, SCORES, (0, 1, 2, 3, 4, 0), strict=True):
        row = next(row for row in text.splitlines() if name in row)
        assert f"{score} " in row
        assert "■" * points + "□" * (5 - points) in row


@sizes
def test_it_shows_the_turn_and_the_progress(size):
    text = text_of(seen(14, turn=12), size)
    assert "▸ Anna" in text
    assert "12 of 300" in text or "12/300" in text
    assert "deck 0" in text


def test_how_the_total_came_about_stands_beneath_it():
    assert "4 × 2 = 8" in text_of(seen(8), NARROW).splitlines()[6]


@totals
def test_a_total_without_room_for_an_equation_keeps_its_formula(total):
    dealt = seen(total, options=Options(cap=999_999))
    view = replace(dealt, board=replace(dealt.board, mover=Seat(1)))
    terms = list_terms(scene(view))
    assert [term.text for term in terms] == ["4", "×", "2", "=", "8"]
    canvas = Canvas(40, 7)
    draw_equation(canvas, (0, 0, 40, 7), scene(view))
    assert "█" in str(canvas)


@sizes
@totals
def test_the_widest_scores_cut_names_and_never_a_number(size, total):
    scores = (-999_998, 999_998, 4, 18, 7, 81)
    text = text_of(seen(total, scores=scores, options=Options(cap=999_999, points=10)), size)
    assert re.search("◆ ?−999998 ", text)
    assert re.search("●  ?999998 ", text)


@sizes
def test_a_new_score_is_requested_with_the_taken_ones(size):
    text = text_of(asked(seen(11)), size)
    assert "press k to keep 8" in " ".join(text.split())
    assert "Taken: 11 (Ben), 4 (Cleo), 18 (Dora), 7" in text
    assert "◆8" in text
    assert "●11" in text


@sizes
def test_scores_of_the_die_show_all_that_are_free(size):
    view = asked(seen(11, scores=(8, 11, 4, 5, 7, 12), options=Options(die_scores=True)))
    text = text_of(view, size, wanted=10)
    assert "[10]" in text
    assert all(re.search(rf" {free}(?!\d)", text) for free in (1, 2, 3, 6, 9))
    assert all(f"●{held}" in text for held in (11, 4, 5, 7, 12))


@pytest.mark.parametrize("size", [(120, 39), (132, 42), (160, 44)])
def test_tiles_of_all_seats_are_as_high(size):
    shown = replace(scene(seen(6)), log=tuple(f"Ben plays the {n}: 4 × 2 = 8." for n in range(9)))
    canvas = layout.draw_table(shown, *size)
    panel = canvas.marks["seats"][2]
    edges = [y for y in range(size[1]) if canvas.line(y)[:panel].strip()[:1] in {"╔", "╭"}]
    assert len(edges) == len(SCORES)
    assert len({below - above for above, below in pairwise(edges)}) == 1


def test_seven_results_a_card_leave_the_number_line_in_sight():
    hand = (2, 3, 6)
    assert max(len(column.ways) for column in list_columns(seen(6).board, hand)) == 7
    table = lay_out(6, hand, (4, 5, 6), (1, 2, 3), (4, 5, 6), scores=SCORES[:4], hot=(1,) * 4, deck=())
    shown = replace(scene(GAME.view(table, A)), log=tuple(f"Ben plays the {n}: 4 × 2 = 8." for n in range(9)))
    text = str(layout.draw_table(shown, *WIDE))
    assert "▼6" in text
    assert "729" in text
    assert "Ben plays the 8" in text


def test_a_spectator_sees_the_table_and_no_hand():
    view = replace(seen(14), seat=None, hand=())
    text = text_of(view, WIDE)
    assert "You are watching. Anna plays." in text
    assert "[1]" not in text


def test_it_draws_at_any_size_from_the_smallest():
    for width in range(46, 130, 7):
        for height in range(18, 45, 3):
            canvas = layout.draw_table(scene(seen(-999, options=Options(cap=999_999))), width, height)
            assert canvas.height == height
