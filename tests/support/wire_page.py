"""The pages of the protocol as data: sections, examples, and the errors of each method."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from scoville_shared.errors import Code
from scoville_shared.protocol.messages import METHODS
from tests.support.tree import ROOT

FOLDER = ROOT / "docs/protocol"
INDEX = ROOT / "docs/protocol.md"
PATHS = (
    INDEX,
    *(FOLDER / f"{name}.md" for name in ("methods", "types", "events", "games", "bytes")),
)
PAGE = "\n".join(path.read_text(encoding="utf-8") for path in PATHS)
BYTES_PATH = FOLDER / "bytes.md"
BYTES_PAGE = BYTES_PATH.read_text(encoding="utf-8")
_ADMIN = "admin."
_EXAMPLE = re.compile(r"^([<>]) ((?:[0-9a-f]{2}\s+)+)= (.*)$", re.MULTILINE)
_ERROR = re.compile(r"^\| `(\w+)` \| (.*?) \| (.*) \|$", re.MULTILINE)


class Example(NamedTuple):
    """A message of the page: `way` is `<` from the server or `>` to it, `text` the message as JSON."""

    way: str
    data: bytes
    text: str


def read_section(heading: str) -> str:
    """Cut out everything from a heading to the next of the same rank or a higher one."""
    [start] = (found for found in _read_headings() if found[2] == heading)
    ends = (
        found.start() for found in _read_headings() if found.start() > start.start() and len(found[1]) <= len(start[1])
    )
    return PAGE[start.end() : next(ends, None)]


@cache
def _read_headings() -> tuple[re.Match[str], ...]:
    """List the headings once: to look for one in half a megabyte takes milliseconds, and a thousand are asked for."""
    return tuple(re.finditer(r"^(#+) (.*)$", PAGE, re.MULTILINE))


def code_block(kind: str) -> str:
    """Cut out the one code block of a kind."""
    [block] = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(block)


def read_examples(kind: str) -> Iterator[Example]:
    """Read a code block of messages."""
    return (Example(way, bytes.fromhex(data), text) for way, data, text in _EXAMPLE.findall(code_block(kind)))


def example_of(heading: str) -> Any:
    """Read the JSON example of a section; a placeholder `{"…": NAME}` becomes the example of that type."""
    blocks = re.findall(r"^```json\n(.*?)^```$", read_section(heading), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 1, f"{heading} has {len(blocks)} examples"
    return _read_whole(json.loads(blocks[0]))


def _read_whole(plain: Any) -> Any:
    if isinstance(plain, dict):
        return example_of(plain["…"]) if "…" in plain else {key: _read_whole(value) for key, value in plain.items()}
    return [_read_whole(item) for item in plain] if isinstance(plain, list) else plain


def is_documented(method: str, code: str) -> bool:
    """Whether a method may answer with a code; a move may be refused with the game's own reasons as well."""
    if method not in METHODS:
        return code == Code.UNKNOWN_METHOD
    of_the_game = method == "table.play" and code not in set(Code)
    return of_the_game or code in errors_of_every_method() or code in errors_of(method)


def check_documented(method: str, code: str, data: dict[str, Any]) -> None:
    """Fail when the pages do not have a refusal, or not with this data."""
    assert is_documented(method, code), f"docs/protocol/methods.md does not say that {method} may answer {code}"
    if code in set(Code):
        unknown = data.keys() - data_fields(code)
        assert not unknown, f"docs/protocol.md does not say that the data of {code} has {unknown}"


@cache
def errors_of(method: str) -> frozenset[str]:
    """List the codes in the error table of a method."""
    _, _, table = read_section(method).partition("| error |")
    codes = {code for code, _, _ in _ERROR.findall(table)} & set(Code)
    return frozenset({*codes, Code.NOT_ALLOWED} if method.startswith(_ADMIN) else codes)


@cache
def errors_of_every_method() -> frozenset[str]:
    """List the codes with which every method may answer."""
    _, _, rest = PAGE.partition("Every method may also be answered with")
    before, _, _ = rest.partition("\n## ")
    return frozenset(set(re.findall(r"`(\w+)`", before)) & set(Code))


@cache
def data_of(code: str) -> str:
    """Return what the table of errors says of the data of a code; empty for none."""
    documented = {name: data for name, data, _ in _ERROR.findall(read_section("Errors"))}
    return "" if documented[code] == "–" else documented[code]


def data_fields(code: str) -> frozenset[str]:
    """List the names of the data of a code."""
    return frozenset(re.findall(r"`(\w+)`", data_of(code)))
