"""Extraction of translatable texts: literals in the calls and objects that show them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

SAYING: Final = {"Phrase": (0,), "tr": (0,), "say": (0,), "Action": (2, 3, 4), "Argument": (0,)}
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


def list_texts(path: Path, name: str) -> Iterator[Text]:
    """Yield the texts of a file of Python, which is called `name`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and (_name_of(node.func) != "Meta" or "settings" in path.parts):
            many = _plural_of(node)
            for one in _texts_in(node):
                if _WORD.search(_FIELD.sub("", one)):
                    yield Text(one, many, name)


def _texts_in(call: ast.Call) -> Iterator[str]:
    for position in SAYING.get(_name_of(call.func), ()):
        if position < len(call.args):
            yield from _literals_in(call.args[position])
    if _name_of(call.func) == "Meta":
        described = [keyword.value for keyword in call.keywords if keyword.arg == "description"]
        yield from (text for value in described for text in _literals_in(value))


def _plural_of(call: ast.Call) -> str | None:
    given = [keyword.value for keyword in call.keywords if keyword.arg == "many"]
    if _name_of(call.func) == "Phrase":
        given += call.args[2:3]
    return next(iter(_literals_in(given[0])), None) if given else None


def _name_of(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _literals_in(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from _literals_in(node.body)
        yield from _literals_in(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node.value
