"""Scripts read only arguments that they declare: no type checker sees what is in a namespace."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.tree import ROOT

SCRIPTS = [*ROOT.glob("tests/**/__main__.py"), *ROOT.glob("scripts/benchmarks/*.py")]
HELPERS = [ROOT / "tests/support/script_parser.py", ROOT / "scripts/benchmarks/_arguments.py"]
NAMES = ("args", "chosen")


def declared(path: Path) -> Iterator[str]:
    """Yield the names of all arguments that a module adds to a parser, and of defaults that it sets."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "add_argument":
                given = [each.value for each in node.args if isinstance(each, ast.Constant)]
                dest = [
                    each.value.value
                    for each in node.keywords
                    if each.arg == "dest" and isinstance(each.value, ast.Constant)
                ]
                yield from (str(name).lstrip("-").replace("-", "_") for name in [*given, *dest])
            if node.func.attr == "set_defaults":
                yield from (each.arg for each in node.keywords if each.arg is not None)


def read(path: Path) -> Iterator[str]:
    """Yield the names of all arguments that a module reads."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in NAMES:
            yield node.attr


SHARED = {name for helper in HELPERS for name in declared(helper)}
READERS = [path for path in SCRIPTS if path not in HELPERS and any(declared(path))]


def test_there_are_scripts_with_arguments() -> None:
    assert len(READERS) > 10
    assert sum(1 for path in READERS for _ in read(path)) > 40


@pytest.mark.parametrize("path", READERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_script_reads_only_arguments_that_it_declares(path: Path) -> None:
    assert set(read(path)) <= {*declared(path), *SHARED}
