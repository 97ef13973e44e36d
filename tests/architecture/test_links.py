"""Links between the documents lead to files and headings that exist."""

import re
from functools import cache
from pathlib import Path

import pytest

from tests.support.tree import ROOT, python_files

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
_LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s]*)\)")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


@cache
def anchors(path: Path) -> frozenset[str]:
    """The anchors that the headings of a document have on the usual hosts."""
    headings = re.findall(r"^#+ (.*)$", _FENCE.sub("", path.read_text(encoding="utf-8")), re.MULTILINE)
    return frozenset(re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(path: Path) -> None:
    lost = []
    for link in _LINK.findall(_FENCE.sub("", path.read_text(encoding="utf-8"))):
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            lost.append(link)
    assert lost == []


@cache
def tracked_modules() -> frozenset[str]:
    return frozenset(path.relative_to(ROOT).as_posix() for path in python_files())


_MODULE = re.compile(r"`([\w./-]+/[\w-]+\.py)`")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_named_module_exists(path: Path) -> None:
    named = set(_MODULE.findall(_FENCE.sub("", path.read_text(encoding="utf-8"))))
    lost = [name for name in named if not any(f"/{module}".endswith(f"/{name}") for module in tracked_modules())]
    assert lost == []


def test_a_lost_module_is_noticed() -> None:
    assert _MODULE.findall("in `session/reconnect/link.py`, not `link.py`") == ["session/reconnect/link.py"]
    assert not any(module.endswith("/session/reconnect/link.py") for module in tracked_modules())
