"""The drawing of packages in ARCHITECTURE.md, compared with the imports as they are.

A line of the drawing is a chain of groups: `a, b → c` says that a and b may import c, and c neither of them. Arrows
are transitive. Each block is headed by the folder whose packages it draws.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from itertools import pairwise, product
from pathlib import Path

import pytest

from tests.support.tree import ROOT

Arrows = Mapping[str, set[str]]
Chain = list[list[str]]

BLOCKS = {
    "scoville": "",
    "shared": "shared/scoville_shared",
    "server": "server/scoville_server",
    "client": "client/scoville_client",
}


@cache
def drawing() -> dict[str, list[Chain]]:
    """Parse the drawing: the chains of each block."""
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    drawn = re.search(r"^## Packages\n.*?^```\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert drawn is not None
    blocks: dict[str, list[Chain]] = {}
    for line in drawn[1].splitlines():
        if not line.startswith(" "):
            chains = blocks.setdefault(line.split()[0], [])
        else:
            chains.append([[name.strip() for name in group.split(",")] for group in line.split("→")])
    return blocks


@cache
def imported_modules(path: Path) -> tuple[list[str], ...]:
    """Return the parts of the name of every module of ours that a file imports, at its top or later."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(name.split(".") for name in names if name.startswith("scoville_"))


@cache
def imports_in(block: str) -> Arrows:
    """Return which packages (and modules at the top) of a block import which others."""
    imports: defaultdict[str, set[str]] = defaultdict(set)
    if not block:
        for package in ROOT.glob("*/scoville_*"):
            for path in package.rglob("*.py"):
                imports[package.name].update(parts[0] for parts in imported_modules(path))
        return {
            name.removeprefix("scoville_"): {other.removeprefix("scoville_") for other in others - {name}}
            for name, others in imports.items()
        }
    folder = ROOT / block
    for path in folder.rglob("*.py"):
        name = path.relative_to(folder).parts[0].removesuffix(".py")
        found = {parts[1] for parts in imported_modules(path) if parts[0] == folder.name}
        imports[name] |= found - {name}
    return imports


def arrows_of(chains: list[Chain]) -> Arrows:
    """Return what each drawn name may import: everything that arrows lead to from it."""
    arrows: defaultdict[str, set[str]] = defaultdict(set)
    for chain in chains:
        for i, group in enumerate(chain):
            for name in group:
                arrows[name].update(*chain[i + 1 : i + 2])
    reached = {name: set(others) for name, others in arrows.items()}
    for through, name in product([*reached, *reached], reached):
        if through in reached[name]:
            reached[name] |= reached[through]
    return reached


def contradictions(chains: list[Chain], imports: Arrows) -> list[str]:
    """List the imports that no arrow allows, and the arrows without any import."""
    allowed = arrows_of(chains)
    wrong = [
        f"{name} imports {other}"
        for name in sorted(allowed)
        for other in sorted(imports.get(name, set()) & allowed.keys())
        if other not in allowed[name]
    ]
    steps = [step for chain in chains for step in pairwise(chain)]
    return wrong + [
        f"no import from {', '.join(left)} to {', '.join(right)}"
        for left, right in steps
        if not any(imports.get(name, set()) & {*right} for name in left)
    ]


@pytest.mark.parametrize("block", BLOCKS)
def test_imports_follow_the_drawn_arrows(block: str) -> None:
    assert contradictions(drawing()[block], imports_in(BLOCKS[block])) == []


@pytest.mark.parametrize("block", BLOCKS)
def test_no_arrow_leads_in_a_circle(block: str) -> None:
    assert [name for name, others in arrows_of(drawing()[block]).items() if name in others] == []


@pytest.mark.parametrize("block", BLOCKS)
def test_every_package_is_drawn(block: str) -> None:
    pattern = f"{BLOCKS[block]}/*" if BLOCKS[block] else "*/scoville_*"
    folders = {path.parent.name.removeprefix("scoville_") for path in ROOT.glob(f"{pattern}/__init__.py")}
    assert folders - arrows_of(drawing()[block]).keys() == set()


@pytest.mark.parametrize(
    ("chains", "imports", "wrong"),
    [
        ([[["tables"], ["chat"]]], {"chat": {"tables"}}, ["chat imports tables", "no import from tables to chat"]),
        ([[["chat", "lobby"], ["tables"]]], {"chat": {"lobby", "tables"}}, ["chat imports lobby"]),
        ([[["chat"], ["tables"], ["net"]]], {"chat": {"tables", "net"}, "tables": {"net"}}, []),
    ],
)
def test_a_wrong_arrow_is_found(chains: list[Chain], imports: Arrows, wrong: list[str]) -> None:
    assert contradictions(chains, imports) == wrong
