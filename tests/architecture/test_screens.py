"""Screens never wait for a page to close: one that does so while it handles a message waits for itself.

No handler of a message calls that of its base class: Textual calls the handlers of every class.
"""

import ast

import pytest

from tests.support.tree import ROOT

TUI = "client/scoville_client/tui"
CLOSING = {"pop_screen", "switch_screen", "dismiss", "pop_until_active"}
APP = {"navigation.py"}
"""Files of the app, whose own messages wait for screens."""


@pytest.mark.parametrize("folder", ["screens", "widgets", "boards"])
def test_no_screen_awaits_the_end_of_a_page(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / TUI / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Await) and isinstance(node.value, ast.Call) and _name(node.value) in CLOSING
    ]
    assert found == [], "close a page by Navigation.close_page, which is not awaited"


def test_the_app_does() -> None:
    awaited = {
        _name(node.value)
        for file in APP
        for node in ast.walk(ast.parse((ROOT / TUI / file).read_text(encoding="utf-8")))
        if isinstance(node, ast.Await) and isinstance(node.value, ast.Call)
    }
    assert awaited >= {"pop_screen", "switch_screen", "dismiss"}


def test_no_handler_is_called_twice() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / TUI).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and _is_handler_of_base(node)
    ]
    assert found == []


def _is_handler_of_base(call: ast.Call) -> bool:
    """Return whether a call is `super().on_…()`; an app's `on_event` is no handler but what calls them."""
    return (
        _name(call).startswith("on_")
        and _name(call) != "on_event"
        and isinstance(call.func, ast.Attribute)
        and ast.unparse(call.func.value) == "super()"
    )


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""
