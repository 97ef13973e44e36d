"""Every attack in docs/security.md names its defence and an existing test."""

import re

import pytest

from tests.support.tree import ROOT

PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("|") and line.count("|") == 4 and not re.match(r"\| *(---|attack|accident)", line)
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_an_attack_names_what_holds_and_a_test_that_exists(row: list[str]) -> None:
    attack, holds, shown = row
    assert attack
    assert holds
    tests = [path.split()[0] for path in re.findall(r"`((?:tests|scripts)/[^`]+)`", shown)]
    assert tests, f"no test is named for: {attack}"
    assert not [path for path in tests if not (ROOT / path).exists()]


def test_there_are_rows() -> None:
    assert len(ROWS) > 15
