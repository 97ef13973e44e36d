"""Decisions: each page is named from the code that it binds, and code names no page that does not exist."""

import re
from pathlib import Path

import pytest

from tests.support.tree import ROOT

FOLDER = ROOT / "docs/decisions"
PAGES = sorted(FOLDER.glob("[0-9]*.md"))
SECTIONS = ("**Context.**", "**Choice.**", "**Alternatives.**", "**Consequence.**")
_NAMED = re.compile(r"\bdecision (\d{3})\b", re.IGNORECASE)


def decisions_named_in_code() -> set[str]:
    """Return the numbers of all decisions that a module of the product names."""
    modules = [path for top in ("client", "server", "shared") for path in (ROOT / top).rglob("*.py")]
    return {number for path in modules for number in _NAMED.findall(path.read_text(encoding="utf-8"))}


def test_code_names_exactly_the_decisions() -> None:
    assert decisions_named_in_code() == {path.name[:3] for path in PAGES}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem[:3])
def test_a_decision_has_its_four_sections(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert [section for section in SECTIONS if text.count(section) != 1] == []


def test_the_index_lists_each_decision() -> None:
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\]\((\d[^)]*)\)", index) == [path.name for path in PAGES]
