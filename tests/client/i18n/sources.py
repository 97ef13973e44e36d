"""Extraction of translatable texts: literals in the calls and objects that show them."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.support.tree import ROOT

FOLDERS = (
    "client/scoville_client",
    "shared/scoville_shared/bots",
    "shared/scoville_shared/coach",
    "shared/scoville_shared/games",
)

SAYING = {"Phrase": (0,), "tr": (0,), "say": (0,), "Action": (2, 3, 4), "Argument": (0,)}
"""What takes texts, and as which arguments; all but these show what others wrote."""

_FIELD = re.compile(r"\{\w*\}")
_WORD = re.compile(r"[^\W\d_]{2}")
"""Two letters make a word; what has none, such as `{place}. {who}: {score}`, is the same in every language."""


class Text(NamedTuple):
    """A text, its plural if it has one, and its source file."""

    one: str
    many: str | None
    file: str

    @property
    def key(self) -> str | tuple[str, str]:
        """The key of its catalog entry."""
        return self.one if self.many is None else (self.one, self.many)


@cache
def texts() -> tuple[Text, ...]:
    """List all texts, file by file."""
    files = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return tuple(text for path in files for text in _texts_of(path))


def _texts_of(path: Path) -> Iterator[Text]:
    name = str(path.relative_to(ROOT))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and (_name(node.func) != "Meta" or "settings" in path.parts):
            many = _plural(node)
            for one in _said_in(node):
                if _WORD.search(_FIELD.sub("", one)):
                    yield Text(one, many, name)


def _said_in(call: ast.Call) -> Iterator[str]:
    for position in SAYING.get(_name(call.func), ()):
        if position < len(call.args):
            yield from _literals(call.args[position])
    if _name(call.func) == "Meta":
        yield from (
            text for keyword in call.keywords if keyword.arg == "description" for text in _literals(keyword.value)
        )


def _plural(call: ast.Call) -> str | None:
    given = [keyword.value for keyword in call.keywords if keyword.arg == "many"]
    if _name(call.func) == "Phrase":
        given += call.args[2:3]
    return next(iter(_literals(given[0])), None) if given else None


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _literals(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from _literals(node.body)
        yield from _literals(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node.value
