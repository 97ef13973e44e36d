"""Helpers of tests: those that one folder uses live in that folder."""

import re
from collections import defaultdict

from tests.support.tree import ROOT, python_files

RUN_BY_NAME = {"warm_up"}
"""Modules that scripts run."""
_IMPORT = re.compile(r"^\s*from tests\.support(?:\.(\w+))? import (\([^)]*\)|[\w, ]+)", re.MULTILINE)


def test_shared_helpers_serve_several_folders() -> None:
    readers = defaultdict[str, set[str]](set)
    for path in python_files():
        if path.relative_to(ROOT).parts[0] not in ("tests", "scripts"):
            continue
        for module, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
            for each in [module] if module else re.findall(r"\w+", names):
                readers[each].add(str(path.parent.relative_to(ROOT)))
    modules = {path.stem for path in (ROOT / "tests/support").glob("*.py")} - {"__init__"} - RUN_BY_NAME
    alone = {module: readers[module] for module in sorted(modules) if len(readers[module]) < 2}
    assert not alone, f"move helpers that one folder uses into that folder: {alone}"
