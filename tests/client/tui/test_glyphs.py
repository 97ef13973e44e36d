"""Substitutes for characters that a terminal cannot draw: one cell stays one cell."""

import pytest
from rich.cells import cell_len

from scoville_client.tui.terminal import glyphs

DRAWN = "╭─╮│╰╯┏━┓┃┗┛╔═╗║╚╝┌┄┐┊└┘┣┫┯┬·●◆■▒█▀▄▲▸◂→←↑↓↗↘↙↖…"


@pytest.mark.parametrize("level", ["light", "ascii"])
def test_every_sign_keeps_its_width(level: glyphs.Level) -> None:
    table = glyphs.table_of_level(level)
    assert table is not None
    for sign in DRAWN:
        assert cell_len(sign.translate(table)) == cell_len(sign), sign


def test_ascii_replaces_what_it_does_not_know_by_question_marks() -> None:
    table = glyphs.table_of_level("ascii")
    assert table is not None
    assert "Zoë 辣 \x1b[1m".translate(table) == "Zoe ?? \x1b[1m"


def test_the_three_kinds_of_edge_stay_apart_in_ascii() -> None:
    table = glyphs.table_of_level("ascii")
    assert table is not None
    assert len({edge.translate(table) for edge in ("╭────╮", "┏━━━━┓", "╔════╗")}) == 3


def test_unicode_needs_no_table() -> None:
    assert glyphs.table_of_level("unicode") is None


def test_ascii_can_be_asked_for() -> None:
    assert glyphs.find_level("ascii") == "ascii"
