"""Cells: clipping, wide signs, runs of one style."""

import pytest

from scoville_client.tui.drawing.canvas import Canvas, fitted, width_of
from scoville_client.tui.drawing.text_box import wrap


def test_what_leaves_the_sheet_is_clipped() -> None:
    canvas = Canvas(4, 1)
    canvas.put(-1, 0, "abcdefg", "text")
    canvas.put(0, 7, "below", "text")
    assert canvas.line(0) == "bcde"


def test_a_wide_sign_takes_two_cells_and_an_accent_none() -> None:
    canvas = Canvas(8, 1)
    assert canvas.put(0, 0, "辣e\u0301!", "text") == 4
    assert canvas.line(0) == "辣e\u0301!    "
    assert width_of(canvas.line(0)) == 8


def test_a_wide_sign_that_half_fits_is_left_out() -> None:
    canvas = Canvas(3, 1)
    canvas.put(2, 0, "辣", "text")
    assert canvas.line(0) == "   "


def test_runs_join_cells_of_one_style() -> None:
    canvas = Canvas(5, 1)
    canvas.put(1, 0, "63", "card")
    assert list(canvas.runs(0)) == [("blank", " "), ("card", "63"), ("blank", "  ")]


@pytest.mark.parametrize("text", ["Anna", "Annabella-Charlotte", "辣椒辣椒辣椒", ""])
def test_a_fitted_name_has_exactly_its_width(text: str) -> None:
    assert width_of(fitted(text, 8)) == 8


@pytest.mark.parametrize("width", [-3, 0, 1, 2, 9, 80])
def test_wrapping_keeps_every_sign_whatever_the_width(width: int) -> None:
    text = "an extraordinarily-long-word here"
    rows = list(wrap(text, width))
    assert "".join(rows).replace(" ", "") == text.replace(" ", "")
    assert all(width_of(row) <= max(width, 2) for row in rows)


def test_text_without_room_is_none() -> None:
    assert fitted("Anna", 0) == fitted("Anna", -3) == ""
    assert fitted("Anna", 1) == "…"


def test_nothing_fits_into_no_cells() -> None:
    assert fitted("Anna", 0) == ""
    assert fitted("Anna", -3) == ""


def test_what_a_terminal_would_obey_is_not_drawn() -> None:
    canvas = Canvas(12, 1)
    canvas.put(0, 0, "a\x1b]2;x\ab\u202ec\x9bd")
    assert canvas.line(0) == "a ]2;x b c d"
