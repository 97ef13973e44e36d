"""Drawing of a hand: every total it can reach, how, and for whom it scores."""

import re

import pytest

from scoville_client.tui.boards.chilli_chase import layout
from scoville_client.tui.boards.chilli_chase.picker import pick_from
from scoville_shared.engine.phrases import write_signed
from scoville_shared.games.chilli_chase.arithmetic import list_choices
from scoville_shared.games.chilli_chase.state import Options
from tests.client.tui.boards.chilli_chase.scenes import NARROW, WIDE, scene, seen

sizes = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])


def drawn(view, picker=None, size=WIDE):
    return str(layout.draw_table(scene(view, picker), *size))


def row_of(text, total):
    """Return the row of a total among the results."""
    rows = text.splitlines()
    beneath = rows[next(y for y, row in enumerate(rows) if "━[" in row or "╚" in row) :]
    found = (row for row in beneath if f" {total} " in row.replace("●", " ").replace("◆", " "))
    return next(found, "")


def words_of(text):
    """Return the drawn text with single spaces."""
    return " ".join(text.split())


@sizes
@pytest.mark.parametrize("total", [14, 9, 1, -8, 36])
@pytest.mark.parametrize("hand", [(1, 2, 3), (4, 5, 6), (2, 2, 5)])
def test_every_total_that_a_card_reaches_is_offered(size, total, hand):
    view = seen(total, hand)
    text = drawn(view, size=size)
    for card, way in list_choices(view):
        picker = pick_from(view.board, view.hand, card)
        while picker.chosen is None or picker.chosen.total < way.total:
            picker = picker.moved_along(1)
        assert row_of(text, write_signed(way.total)) or row_of(drawn(view, picker, size), write_signed(way.total))


@pytest.mark.parametrize("total", [14, 9, 36])
def test_every_formula_that_leads_there_is_written(total):
    view = seen(total, (2, 3, 6))
    text = drawn(view)
    for _, way in list_choices(view):
        for formula in way.write_ways(total):
            assert formula in text or formula.replace(" ", "") in text


def test_several_formulas_stand_in_one_row():
    assert "●4  2 + 2, 2 × 2, 2 ^ 2" in drawn(seen(2, (2, 3, 5)))


@sizes
def test_a_hit_is_marked_with_whose_it_is(size):
    text = drawn(seen(14, (3, 4, 6)), size=size)
    assert "●11" in text.replace(" ", "")
    assert "◆8" in text.replace(" ", "")
    assert "●10" not in text.replace(" ", "")


def test_a_hit_names_who_gets_the_point():
    text = drawn(seen(14, (3, 4, 6)))
    assert "● 11 14 − 3 Ben" in words_of(text)
    assert "◆ 8 14 − 6 you" in words_of(text)


def test_marks_are_apart_in_style_too():
    canvas = layout.draw_table(scene(seen(14, (3, 4, 6))), *WIDE)
    styles = {canvas.char(x, y): canvas.style(x, y) for y in range(11, 23) for x in range(80)}
    assert styles["●"] != styles["◆"]


def test_the_chosen_result_is_pointed_at_and_reported_in_full():
    view = seen(14, (3, 4, 6))
    text = drawn(view, pick_from(view.board, view.hand, 3).moved_along(1).moved_along(1))
    assert "▸● 11 14 − 3" in words_of(text)
    assert "14 − 3 = 11: a point for Ben; you may change your Chilli Score." in text


def test_my_own_hit_is_a_point_for_me():
    view = seen(14, (3, 4, 6))
    text = drawn(view, pick_from(view.board, view.hand, 6).moved_along(1).moved_along(1))
    assert "14 − 6 = 8: a point for you!" in text


@pytest.mark.parametrize(
    ("points", "said"),
    [((4, 0, 0, 0, 0, 0), "your last point, you win!"), ((0, 4, 0, 0, 0, 0), "the last point for Ben")],
)
def test_a_last_point_is_shown_as_the_end(points, said):
    view = seen(14, (3, 4, 6), points=points)
    card = 6 if points[0] else 3
    text = drawn(view, pick_from(view.board, view.hand, card).moved_along(1).moved_along(1))
    assert said in text
    assert "you may change your Chilli Score" not in text


def test_equal_cards_share_a_column():
    assert "[2] [2]" in drawn(seen(14, (2, 2, 5)), size=NARROW)
    assert "2 × [2]" in drawn(seen(14, (2, 2, 5)))


def test_a_column_that_is_too_long_moves_with_the_selection():
    view = seen(9, (2, 3, 6), options=Options(extended=True))
    picker = pick_from(view.board, view.hand, 2)
    assert "▼" in drawn(view, size=NARROW)
    assert "▸ 512 2 ^ 9" in words_of(drawn(view, picker.moved_along(-1), size=NARROW))
    assert "▲" in drawn(view, picker.moved_along(-1), size=NARROW)


@pytest.mark.parametrize("row", range(8))
def test_the_marks_of_more_results_cover_no_formula(row):
    view = seen(11, (1, 3, 6), options=Options(extended=True))
    picker = pick_from(view.board, view.hand)
    for _ in range(row):
        picker = picker.moved_along(1)
    text = drawn(view, picker, size=NARROW)
    assert "▼" in text
    assert not re.findall(r"[×÷+−^] ?[▲▼]|\d[▲▼]", text)
