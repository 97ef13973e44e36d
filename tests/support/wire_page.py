"""docs/protocol.md as data: its sections, its examples, and the error codes of each method."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from scoville_shared.errors import Code
from scoville_shared.protocol.messages import METHODS
from tests.support.tree import ROOT

PATH = ROOT / "docs/protocol.md"
PAGE = PATH.read_text(encoding="utf-8")
BYTES_PATH = ROOT / "docs/protocol/bytes.md"
BYTES_PAGE = BYTES_PATH.read_text(encoding="utf-8")
_ADMIN = "admin."
_EXAMPLE = re.compile(r"^([<>]) ((?:[0-9a-f]{2}\s+)+)= (.*)$", re.MULTILINE)


class Example(NamedTuple):
    """A message of the page: `way` is `<` from the server or `>` to it, `text` the message as JSON."""

    way: str
    data: bytes
    text: str


def section(heading: str) -> str:
    """Cut out everything from a heading to the next of the same rank or a higher one."""
    [start] = list(re.finditer(rf"^(#+) {re.escape(heading)}$", PAGE, re.MULTILINE))
    rest = PAGE[start.end() :]
    end = re.search(rf"^#{{2,{len(start[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def code_block(kind: str) -> str:
    """Cut out the one code block of a kind."""
    [block] = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE + BYTES_PAGE, re.MULTILINE | re.DOTALL)
    return str(block)


def examples(kind: str) -> Iterator[Example]:
    """Read a code block of messages."""
    return (Example(way, bytes.fromhex(data), text) for way, data, text in _EXAMPLE.findall(code_block(kind)))


def is_documented(method: str, code: str) -> bool:
    """Whether a method may answer with a code; a move may be refused with the game's own reasons as well."""
    if method not in METHODS:
        return code == Code.UNKNOWN_METHOD
    of_the_game = method == "table.play" and code not in set(Code)
    return of_the_game or code in errors_of_every_method() or code in errors_of(method)


def check_documented(method: str, code: str) -> None:
    """Fail when the page does not tell of a refusal."""
    assert is_documented(method, code), f"docs/protocol.md does not tell that {method} may answer {code}"


@cache
def errors_of(method: str) -> frozenset[str]:
    """List the codes that stand behind `Errors:` in the section of a method, and those of the method it refers to."""
    told = section(method)
    if method.startswith(_ADMIN):
        told += f"Errors: `{Code.NOT_ALLOWED}`."
    codes = {code for part in told.split("Errors:")[1:] for code in re.findall(r"`(\w+)`", part)}
    others = re.findall(r"Errors: as of `([\w.]+)`", told)
    return frozenset(codes & set(Code)).union(*map(errors_of, others))


@cache
def errors_of_every_method() -> frozenset[str]:
    """List the codes with which every method may answer."""
    before_the_first = section("Methods").split("###")[0]
    return frozenset(set(re.findall(r"`(\w+)`", before_the_first)) & set(Code))
