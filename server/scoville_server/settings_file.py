"""A server's settings as a TOML file: read, and written with every limit and its reason."""

import ast
import inspect
import math
import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scoville_server.config import BadSettings, Settings

_NOT_IN_FILES = ("seed", "opening", "peppers", "leave_out_damaged")
"""Settings that belong to one game, or have an option of their own."""
_WIDTH = 110
_NEEDED = (
    *(
        "connections",
        "frame",
        "unanswered",
        "turn",
        "working",
        "working_busy",
        "ahead",
        "unsent",
        "buffers",
        "people",
        "inbox",
        "unwritten",
    ),
    *("workers", "waiting", "waiting_of_one", "passes", "lanes", "tokens", "token_days", "guest_token_days"),
)
_LEAST = {
    **dict.fromkeys(_NEEDED, 1),
    "hello_seconds": 0.1,
    "memory_kib": 8,
    "first_seconds": 0.1,
    **dict.fromkeys(("share_of_network", "share_of_connection", "share_busy"), 0.01),
    **dict.fromkeys(("slice_seconds", "slice_seconds_busy"), 0.00001),
    "longest_seconds": 0.1,
}
"""Smallest values of settings, where that is not 0."""


def read_settings(path: Path, usual: Settings) -> Settings:
    """Read a settings file; missing settings stay as in `usual`.

    Raises BadSettings, naming the file and the setting.
    """
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadSettings(f"The settings file {path} cannot be read: {error.strerror}.") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadSettings(f"The settings file {path} is no TOML: {error}.") from error
    try:
        _check(found, usual, "")
        _check_numbers(found, "")
        read = msgspec.convert(found, Settings, dec_hook=_path)
        return replace(usual, **{name: getattr(read, name) for name in found})
    except (msgspec.ValidationError, _Unusable) as error:
        raise BadSettings(f"The settings file {path} cannot be used: {error}.") from error


def settings_page(usual: Settings) -> Iterator[str]:
    """Write the usual settings as a file, line by line: each commented out, under its reason."""
    yield "# The settings of scoville-server, as they are when nothing else is said: scoville-server --config FILE"
    yield from _rows(usual, _reasons(Settings), "")


class _Unusable(Exception):
    """An unknown setting, or a value with which no server could run."""


def _check(found: Mapping[str, Any], usual: Struct, within: str) -> None:
    """Refuse misspelt settings, which would be ignored otherwise."""
    known = [name for name in usual.__struct_fields__ if within or name not in _NOT_IN_FILES]
    for name, value in found.items():
        if name not in known:
            raise _Unusable(f"there is no setting {within}{name}")
        part = getattr(usual, name)
        if _is_table(part) and isinstance(value, Mapping):
            _check(value, part, f"{within}{name}.")


def _check_numbers(found: Mapping[str, Any], within: str) -> None:
    """Refuse negative numbers, and 0 where the server needs more."""
    for name, value in found.items():
        if isinstance(value, Mapping):
            _check_numbers(value, f"{within}{name}.")
        least = _LEAST.get(name, 0)
        for number in value if isinstance(value, list) else [value]:
            if isinstance(number, int | float) and not least <= number < math.inf:
                raise _Unusable(f"{within}{name} is a number from {least} on, and not {number}")


def _is_table(part: Any) -> bool:
    """Whether a setting has others by name; several numbers together are a list."""
    return isinstance(part, Struct) and not part.__struct_config__.array_like


def _path(kind: type, value: Any) -> Any:
    if kind is Path and isinstance(value, str):
        return Path(value).expanduser()
    raise NotImplementedError(kind)


def _rows(settings: Struct, reasons: Mapping[str, str], within: str) -> Iterator[str]:
    names = [name for name in settings.__struct_fields__ if within or name not in _NOT_IN_FILES]
    for name in names:
        if not _is_table(getattr(settings, name)):
            yield from _row(name, getattr(settings, name), reasons.get(name, ""))
    for name in names:
        part = getattr(settings, name)
        if _is_table(part):
            yield from ("", *_comment(reasons.get(name, "")), f"[{within}{name}]")
            yield from _rows(part, _reasons(type(part)), f"{within}{name}.")


def _row(name: str, value: Any, reason: str) -> Iterator[str]:
    yield ""
    yield from _comment(reason)
    yield f"# {name} = {_toml(value)}"


def _comment(text: str) -> list[str]:
    return [f"# {row}" for row in textwrap.wrap(text, _WIDTH)]


def _toml(value: Any) -> str:
    """Write a value; None, which TOML lacks, as an empty text to be replaced."""
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return str(value)
        case tuple() | list():
            return f"[{', '.join(map(_toml, value))}]"
        case Struct():
            return _toml(msgspec.structs.astuple(value))
        case _:
            return msgspec.json.encode("" if value is None else str(value)).decode()


def _reasons(kind: type[Struct]) -> dict[str, str]:
    """Find the reason of each field: in the text below it, or in the list of its class's docstring."""
    listed = re.findall(r"- ((?:`\w+`(?:, )?)+): (.*?)(?=\n- |\Z)", inspect.getdoc(kind) or "", re.DOTALL)
    reasons = {name: " ".join(text.split()) for names, text in listed for name in re.findall(r"`(\w+)`", names)}
    [tree] = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(tree, ast.ClassDef), "settings are classes"
    for field, text in zip(tree.body, tree.body[1:], strict=False):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(reason))):
                reasons[name] = " ".join(reason.split())
    return reasons
