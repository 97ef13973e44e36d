"""Canvas: clipping, wide characters, runs of one style."""

from unicodedata import category

import pytest
from rich.cells import cell_len

from scoville_client.i18n.wrapping import wrap_lines, wrap_whole_clauses
from scoville_client.tui.drawing.canvas import Canvas, fit_text
from scoville_client.tui.themes import find_style


def test_what_leaves_the_sheet_is_clipped() -> None:
    canvas = Canvas(4, 1)
    canvas.put(-1, 0, "abcdefg", "text")
    canvas.put(0, 7, "below", "text")
    assert canvas.line(0) == "bcde"


def test_cells_that_show_a_whole_address_open_it() -> None:
    canvas = Canvas(12, 3)
    canvas.put(1, 0, "http://a x", "strong")
    canvas.put(6, 1, "http://a", "strong")
    canvas.open_address("http://a")
    assert list(canvas.runs(0)) == [
        ("blank", " "), ("strong address=http://a", "http://a"), ("strong", " x"), ("blank", " ")
    ]  # fmt: skip
    assert list(canvas.runs(1)) == [("blank", " " * 6), ("strong", "http:/")], "half of it would open something else"
    colours = {"foreground": "#ffffff"}
    assert find_style("strong address=http://a", colours).link == "http://a"
    assert find_style("strong", colours).link is None


def test_a_wide_sign_takes_two_cells_and_an_accent_none() -> None:
    canvas = Canvas(8, 1)
    assert canvas.put(0, 0, "辣e\u0301!", "text") == 4
    assert canvas.line(0) == "辣e\u0301!    "
    assert cell_len(canvas.line(0)) == 8


def test_a_wide_sign_that_half_fits_is_left_out() -> None:
    canvas = Canvas(3, 1)
    canvas.put(2, 0, "辣", "text")
    assert canvas.line(0) == "   "


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("\u0915\u094d\u0937\u093f", 2),  # Devanagari: a vowel sign that is no combining character by its class
        ("\u0e19\u0e49\u0e33", 2),  # Thai: a tone above the consonant
        ("\U0001f469\u200d\U0001f680", 2),  # a woman and a rocket, joined: one astronaut
        ("\u2764\ufe0f", 2),  # a heart, shown as a picture
        ("\U0001f44d\U0001f3fd", 2),  # a thumb with its shade of skin
        ("辣椒", 4),
    ],
)
def test_combined_signs_take_the_terminals_cells(text: str, cells: int) -> None:
    canvas = Canvas(10, 1)
    assert canvas.put(1, 0, text, "text") == 1 + cells
    assert canvas.put(1 + cells, 0, "|", "text") == 2 + cells
    assert canvas.line(0) == f" {text}|" + " " * (8 - cells)
    assert cell_len(canvas.line(0)) == 10
    assert [style for style, _ in canvas.runs(0)] == ["blank", "text", "blank"]
    assert cell_len(fit_text(text * 5, 9)) == 9
    assert cell_len(fit_text(text, 9)) == 9


def test_every_mark_that_stands_on_a_letter_takes_no_cell() -> None:
    canvas = Canvas(3, 1)
    marks = [chr(code) for code in range(0x110000) if category(chr(code)) == "Mn" and cell_len(chr(code)) == 0]
    assert len(marks) > 1_074
    for mark in marks:
        canvas.put(0, 0, f"e{mark}|")
        assert cell_len(canvas.line(0)) == 3, hex(ord(mark))
        assert canvas.char(1, 0) == "|"


def test_overwriting_half_a_wide_sign_clears_the_rest() -> None:
    for column in range(4):
        canvas = Canvas(5, 1)
        canvas.put(0, 0, "辣椒", "text")
        canvas.put(column, 0, "|")
        assert cell_len(canvas.line(0)) == 5
    canvas = Canvas(5, 1)
    canvas.put(0, 0, "辣椒", "text")
    canvas.put(1, 0, "辣")
    assert canvas.line(0) == " 辣  "


@pytest.mark.parametrize("stray", ["\u200d", "\ufe0f", "\u0301", "a\u200d", "\u200b"])
def test_lone_joiners_and_marks_take_no_cell(stray: str) -> None:
    canvas = Canvas(6, 1)
    canvas.put(canvas.put(0, 0, "\u2764"), 0, stray)
    canvas.put(4, 0, "b")
    assert cell_len(canvas.line(0)) == 6
    assert canvas.char(4, 0) == "b"


def test_cut_words_keep_accents_and_gain_no_blank() -> None:
    assert list(wrap_lines("辣e\u0301辣e\u0301辣 x", 4)) == ["辣e\u0301", "辣e\u0301", "辣 x"]
    assert list(wrap_lines("one two three four", 9, indent="  ")) == ["one two", "  three", "  four"]


def test_runs_join_cells_of_one_style() -> None:
    canvas = Canvas(5, 1)
    canvas.put(1, 0, "63", "card")
    assert list(canvas.runs(0)) == [("blank", " "), ("card", "63"), ("blank", "  ")]


@pytest.mark.parametrize("text", ["Anna", "Annabella-Charlotte", "辣椒辣椒辣椒", ""])
def test_a_fitted_name_has_exactly_its_width(text: str) -> None:
    assert cell_len(fit_text(text, 8)) == 8


@pytest.mark.parametrize("width", [-3, 0, 1, 2, 9, 80])
def test_wrapping_keeps_every_sign_whatever_the_width(width: int) -> None:
    text = "an extraordinarily-long-word here"
    rows = list(wrap_lines(text, width))
    assert "".join(rows).replace(" ", "") == text.replace(" ", "")
    assert all(cell_len(row) <= max(width, 2) for row in rows)


def test_text_without_room_is_none() -> None:
    assert fit_text("Anna", 0) == fit_text("Anna", -3) == ""
    assert fit_text("Anna", 1) == "…"


def test_nothing_fits_into_no_cells() -> None:
    assert fit_text("Anna", 0) == ""
    assert fit_text("Anna", -3) == ""


def test_what_a_terminal_would_obey_is_not_drawn() -> None:
    canvas = Canvas(12, 1)
    canvas.put(0, 0, "a\x1b]2;x\ab\u202ec\x9bd")
    assert canvas.line(0) == "a ]2;x b c d"


def test_a_text_that_is_cut_ends_with_a_clause() -> None:
    text = "It costs a chip; the card comes back. Nobody wants it."
    assert wrap_whole_clauses(text, 20, 9) == [*wrap_lines(text, 20)]
    assert wrap_whole_clauses(text, 20, 1) == ["It costs a chip."]
    assert wrap_whole_clauses(text, 8, 1) == ["It costs"]
