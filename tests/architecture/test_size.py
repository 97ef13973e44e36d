"""Bounds on files, classes, functions and folders; nothing in the repository belongs to one machine."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.support.tree import ROOT, python_files, text_files

# Bounds that nobody should reach: whatever is cut only to stay below them is cut in the wrong place.
FILE_LINES = 600
CLASS_LINES = 300
FUNCTION_LINES = 80
FOLDER_MODULES = 20
CONSTRUCTOR_PARAMETERS = 6
"""What belongs together is one part with a name of its own: the nodes, a runtime, a request with its handler."""

PRODUCT = ("server/", "client/", "shared/")

MACHINE = re.compile(r"/root/|/work/|/home/\w+/|/Users/\w+/|/opt/(?:pypi|wheels)|/tmp/(?!x\b)\w+")
REGISTRY = re.compile(r"pypi\.org|pythonhosted|registry\.npmjs|deb\.debian|--(?:extra-)?index-url\s+http")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


class Definition(NamedTuple):
    """A class or a function."""

    is_class: bool
    name: str
    line: int
    lines: int
    parameters: int = 0


@cache
def all_definitions() -> tuple[tuple[str, Definition], ...]:
    """List the classes and functions of every module, those inside of others too, with where they stand."""
    return tuple(
        (f"{name(path)}::{found.name}:{found.line}", found)
        for path in python_files()
        for found in _defined_in(ast.parse(path.read_text(encoding="utf-8")))
    )


def _defined_in(node: ast.AST) -> Iterator[Definition]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (child.end_lineno or child.lineno) - child.lineno + 1
            given = [] if isinstance(child, ast.ClassDef) else [*child.args.args, *child.args.kwonlyargs]
            yield Definition(isinstance(child, ast.ClassDef), child.name, child.lineno, lines, len(given))
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):  # an expression defines nothing
            yield from _defined_in(child)


def too_large(sizes: dict[str, int], bound: int) -> dict[str, int]:
    """Return the entries beyond a bound."""
    return {each: size for each, size in sizes.items() if size > bound}


def file_sizes() -> dict[str, int]:
    return {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in python_files()}


def class_sizes() -> dict[str, int]:
    return {at: found.lines for at, found in all_definitions() if found.is_class}


def function_sizes() -> dict[str, int]:
    return {at: found.lines for at, found in all_definitions() if not found.is_class}


def folder_sizes() -> dict[str, int]:
    """Count the modules of each folder of the three packages, without `__init__`."""
    modules = [path for path in python_files() if name(path).startswith(PRODUCT) and path.stem != "__init__"]
    return Counter(name(path.parent) for path in modules)


def test_a_file_has_one_subject() -> None:
    assert too_large(file_sizes(), FILE_LINES) == {}


def test_a_class_has_one_responsibility() -> None:
    assert too_large(class_sizes(), CLASS_LINES) == {}


def test_a_folder_can_be_read_at_a_glance() -> None:
    assert too_large(folder_sizes(), FOLDER_MODULES) == {}


def test_a_function_fits_on_a_screen() -> None:
    assert too_large(function_sizes(), FUNCTION_LINES) == {}


def test_a_class_is_made_of_few_parts() -> None:
    taken = {
        at: found.parameters - 1
        for at, found in all_definitions()
        if found.name == "__init__" and at.startswith(PRODUCT)
    }
    assert too_large(taken, CONSTRUCTOR_PARAMETERS) == {}


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
