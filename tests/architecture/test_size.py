"""Small files and small functions, and nothing in the repository that belongs to one machine."""

import ast
import re
from pathlib import Path

import pytest

from tests.support.tree import ROOT, python_files, text_files

FILE_LINES = 400
FUNCTION_LINES = 60

MACHINE = re.compile(r"/root/|/work/|/home/\w+/|/Users/\w+/|/opt/(?:pypi|wheels)|/tmp/(?!x\b)\w+")
REGISTRY = re.compile(r"pypi\.org|pythonhosted|registry\.npmjs|deb\.debian|--(?:extra-)?index-url\s+http")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", python_files(), ids=name)
def test_a_file_has_one_subject(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= FILE_LINES


@pytest.mark.parametrize("path", python_files(), ids=name)
def test_a_function_fits_on_a_screen(path: Path) -> None:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lengths = {
        node.name: (node.end_lineno or node.lineno) - node.lineno + 1
        for node in ast.walk(tree)
        if isinstance(node, functions)
    }
    assert {name: length for name, length in lengths.items() if length > FUNCTION_LINES} == {}


def test_nothing_names_a_path_of_one_machine_or_a_registry() -> None:
    own = Path(__file__)
    found = [
        f"{name(path)}:{number}: {line.strip()}"
        for path in text_files()
        if path != own
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if MACHINE.search(line) or REGISTRY.search(line)
    ]
    assert found == []


def test_no_drawer_for_odds_and_ends() -> None:
    assert [name(path) for path in python_files() if path.stem in {"utils", "util", "helpers", "misc", "common"}] == []
