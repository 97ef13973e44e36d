"""Substitutes for characters that a terminal cannot draw: one cell stays one cell."""

import ast
import unicodedata
from functools import cache

import pytest
from rich.cells import cell_len

from scoville_client.output import spell_plainly
from scoville_client.tui.terminal import glyphs
from tests.support.tree import ROOT

CLIENT = ROOT / "client" / "scoville_client"
CONSOLE = set("─│┌┐└┘├┤┬┴┼═║╔╗╚╝╠╣╤█▒■●◆▲▼►◄←→↑↓√·") | {chr(code) for code in range(0xA0, 0x100)}
"""What the fonts of the Linux console have besides letters."""
PROBES = {"settings/terminals.py", "tui/terminal/pictures.py", "tui/terminal/output.py", "tui/terminal/glyphs.py"}
"""They name signs to find out whether a terminal has them, or to look for them in what others write."""


def signs_of_source(source: str) -> set[str]:
    """Return the signs beyond ASCII in the strings of a module, without its docstrings."""
    tree = ast.parse(source)
    said = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    strings = (each for each in ast.walk(tree) if isinstance(each, ast.Constant) and id(each) not in said)
    return {sign for each in strings if isinstance(each.value, str) for sign in each.value if not sign.isascii()}


@cache
def signs_of_client() -> frozenset[str]:
    """Return all signs that screens and lines draw, and those of their texts in every language."""
    modules = [path for path in CLIENT.rglob("*.py") if path.relative_to(CLIENT).as_posix() not in PROBES]
    texts = [*CLIENT.glob("i18n/locales/*.po"), *CLIENT.glob("rules/*/*.md")]
    assert len(modules) > 300
    assert len(texts) > 8
    drawn = {sign for path in modules for sign in signs_of_source(path.read_text("utf-8"))}
    drawn |= {sign for path in texts for sign in path.read_text("utf-8") if not sign.isascii()}
    return frozenset(sign for sign in drawn if cell_len(sign) == 1 and unicodedata.category(sign) != "Mn")


@pytest.mark.parametrize("level", ["light", "ascii"])
def test_every_sign_keeps_its_width(level: glyphs.Level) -> None:
    table = glyphs.table_of_level(level)
    assert table is not None
    for sign in signs_of_client():
        assert cell_len(sign.translate(table)) == cell_len(sign), sign


def test_every_sign_has_one_in_ascii() -> None:
    table = glyphs.table_of_level("ascii")
    assert table is not None
    assert {sign for sign in signs_of_client() if sign.translate(table) == "?"} <= {"¿"}


def test_the_console_has_every_sign_that_is_left() -> None:
    table = glyphs.table_of_level("light")
    assert table is not None
    left = {sign.translate(table) for sign in signs_of_client() if not sign.isalpha()}
    assert {sign for sign in left if not sign.isascii() and not sign.isspace()} <= CONSOLE


def test_signs_of_texts_are_spelt_in_lines_without_unicode() -> None:
    texts = "".join(path.read_text("utf-8") for path in CLIENT.glob("i18n/locales/*.po"))
    drawings = set("─│╭╮╰╯━┣┫●◆■█▼□↑↓✓")  # the boards in the rules, keys with arrows, and marks: no line has them
    assert {sign for sign in texts if not sign.isascii() and spell_plainly(sign) == "?"} <= drawings
    assert "".join(map(spell_plainly, "5½ ± 1 – „Größe“")) == '5 1/2 +- 1 - "Groesse"'


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
