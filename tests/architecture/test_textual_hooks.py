"""Private parts of Textual are used in eight files, each with a test: a new release is read there first."""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

import textual.app
import textual.css.stylesheet
import textual.dom
import textual.driver
import textual.message_pump
import textual.screen
import textual.widget
import textual.worker

from tests.support.tree import ROOT

CLIENT = ROOT / "client/scoville_client"
HOOKS: Final = {
    "tui/textual_hooks/app.py",
    "tui/textual_hooks/parser.py",
    "tui/textual_hooks/screen.py",
    "tui/textual_hooks/stylesheet.py",
    "tui/textual_hooks/updates.py",
    "tui/textual_hooks/word_breaks.py",
    "tui/terminal/driver.py",
    "tui/boards/outside.py",  # hands messages past boards of other authors
}
MODULES: Final[tuple[ModuleType, ...]] = (
    textual.app,
    textual.css.stylesheet,
    textual.dom,
    textual.message_pump,
    textual.screen,
    textual.widget,
    textual.worker,
)


@cache
def private_methods() -> set[str]:
    """Return the private methods of Textual's classes that others derive from."""
    return {name for module in MODULES for name in re.findall(r"def (_[a-z]\w*)", inspect.getsource(module))}


@cache
def private_names() -> set[str]:
    """Return those methods, and the private attributes."""
    return private_methods() | {
        name for module in MODULES for name in re.findall(r"self\.(_[a-z]\w*)", inspect.getsource(module))
    }


def uses(path: Path) -> Iterator[str]:
    methods, names = private_methods(), private_names()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and re.match(r"(textual|rich)(\.\w+)*\._", f"{node.module}."):
            yield f"{node.lineno}: imports {node.module}"
        if isinstance(node, ast.ImportFrom) and node.module in {"textual", "rich"}:
            yield from (f"{node.lineno}: imports {alias.name}" for alias in node.names if alias.name.startswith("_"))
        if (
            isinstance(node, ast.Attribute)
            and node.attr in names
            and not _is_self(node.value)
            and not _is_super(node.value)
        ):
            yield f"{node.lineno}: {ast.unparse(node)}"
        if isinstance(node, ast.Attribute) and node.attr in methods and _is_super(node.value):
            yield f"{node.lineno}: {ast.unparse(node)}"


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in {"self", "cls", "os"}  # os._exit is Python's


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def test_private_parts_of_textual_stay_in_their_files() -> None:
    found = {
        str(path.relative_to(CLIENT)): list(uses(path))
        for folder in ("tui", "doors/hosting")
        for path in sorted((CLIENT / folder).rglob("*.py"))
    }
    assert {name: used for name, used in found.items() if used and name not in HOOKS} == {}


def test_each_file_of_hooks_has_a_test() -> None:
    tests = ROOT / "tests/client/tui"
    wanted = {tests / Path(name).relative_to("tui").with_name(f"test_{Path(name).name}") for name in HOOKS}
    assert [path for path in sorted(wanted) if not path.is_file()] == []
