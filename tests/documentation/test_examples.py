"""Examples in docstrings: each call returns what is written below it."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

from tests.support.tree import ROOT

PACKAGES = [ROOT / end for end in ("client", "server", "shared")]


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = sorted(
    module_name(path)
    for folder in PACKAGES
    for path in folder.rglob("*.py")
    if "\n    >>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_return_what_they_say(name: str) -> None:
    tried = doctest.testmod(import_module(name))
    assert tried.attempted
    assert not tried.failed
