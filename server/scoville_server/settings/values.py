"""Values of single settings: what a source says, checked against the setting's type and bounds."""

import math
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, get_args, get_origin

from msgspec import Meta

from scoville_server.limits.bounds import LARGEST
from scoville_server.settings.description import Setting, format_value
from scoville_server.settings.faults import find_near
from scoville_server.settings.toml_text import replace_unprintable

_TRUE: Final = ("true", "yes", "on", "1")
_FALSE: Final = ("false", "no", "off", "0")
_HUGE_BITS: Final = 256
"""Bits from which a number is not written out: Python refuses to write the largest that TOML can hold."""
_SHORT: Final = 60
"""Characters of a wrong value that a message shows."""


class UnusableValue(Exception):
    """A value that a setting cannot have.

    Attributes:
        what: Its fault.
        allowed: The values that the setting takes.
        did_you_mean: The value that was probably meant, empty if that is not known.
        item: Which item of a list is wrong, None for the whole value.
    """

    def __init__(self, what: str, allowed: str, did_you_mean: str = "", item: int | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.allowed = allowed
        self.did_you_mean = did_you_mean
        self.item = item


class Kind(NamedTuple):
    """Kind of values that a setting takes: its type, its bounds, and its choices."""

    type: Any
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()

    def describe(self) -> str:
        """Describe the values that the setting takes."""
        if self.choices:
            return f"one of {', '.join(map(format_value, self.choices))}"
        if self.type in (int, float):
            return f"a {'whole ' if self.type is int else ''}number {self._describe_bounds()}".strip()
        return _WORDS[self.type]

    def _describe_bounds(self) -> str:
        if self.least is not None and self.most is not None:
            return f"from {format_value(self.least)} to {format_value(self.most)}"
        return "" if self.least is None else f"of at least {format_value(self.least)}"


_WORDS: Final[dict[Any, str]] = {
    bool: "true or false",
    str: "a text in quotes",
    Path: "a path in quotes",
    tuple: 'a list of texts, such as ["Anna", "Ben"]',
}


def kind_of(setting: Setting) -> Kind:
    """Return the kind of a setting's values, by its annotation."""
    return _kind_of_hint(setting.hint)


def _kind_of_hint(hint: Any, least: float | None = None, most: float | None = None) -> Kind:
    for meta in get_args(hint):
        if isinstance(meta, Meta):
            least = meta.ge if meta.ge is not None else least
            most = meta.le if meta.le not in (None, LARGEST) else most
    base = hint
    while any(isinstance(part, Meta) for part in get_args(base)):
        base = get_args(base)[0]
    parts = [part for part in get_args(base) if part is not type(None)]
    if get_origin(base) is Literal:
        return Kind(str, choices=tuple(get_args(base)))
    if get_origin(base) is tuple:
        return Kind(tuple)
    if base not in (str, int, float, bool, Path) and parts:  # optional
        return _kind_of_hint(parts[0], least, most)
    return Kind(base, least, most)


def check_value(setting: Setting, value: Any) -> Any:
    """Return a value of a document as the setting holds it. Raises UnusableValue."""
    kind = kind_of(setting)
    match value:
        # Before numbers: in Python true is one as well.
        case bool() if kind.type is bool:
            return value
        case int() | float() if kind.type in (int, float) and not isinstance(value, bool):
            return _check_number(kind, value)
        case str() if kind.type is Path:
            return _check_path(value)
        case str() if kind.type is str:
            return _check_text(kind, value)
        case list() if kind.type is tuple:
            return tuple(_check_item(kind, item, number) for number, item in enumerate(value))
    raise UnusableValue(_name_value(value), kind.describe(), _guess_value(kind, value))


def _check_number(kind: Kind, value: float) -> float:
    whole = isinstance(value, int)
    if kind.type is int and not whole:
        near = format_value(int(value)) if math.isfinite(value) and value == int(value) else ""
        raise UnusableValue(_name_value(value), kind.describe(), near)
    most = LARGEST if kind.most is None else kind.most
    # Also false for anything that is not a number.
    if not (kind.least is None or value >= kind.least) or not value <= most:
        allowed = kind.describe() if kind.most is not None or value < most else f"{kind.describe()}, up to {LARGEST}"
        raise UnusableValue(_name_value(value), allowed)
    return value if kind.type is int else float(value)


def _check_path(value: str) -> Path | None:
    if "\0" in value:
        raise UnusableValue(_name_value(value), "a path in quotes, without the sign 0")
    try:
        return Path(value).expanduser() if value else None
    except RuntimeError:  # there is no such user
        raise UnusableValue(f"{_name_value(value)}, and there is no such home folder", "a path in quotes") from None


def _check_text(kind: Kind, value: str) -> str:
    if kind.choices and value not in kind.choices:
        near = find_near(value, [*kind.choices])
        raise UnusableValue(_name_value(value), kind.describe(), near and format_value(near))
    return value


def _check_item(kind: Kind, item: Any, number: int) -> str:
    if not isinstance(item, str):
        near = format_value(_as_text(item)) if isinstance(item, int | float) else ""
        raise UnusableValue(f"{_name_value(item)} in the list", kind.describe(), near, number)
    return item


def _guess_value(kind: Kind, value: Any) -> str:
    """Return the value that was probably meant, written as TOML; empty if that is not known."""
    if isinstance(value, str):
        text = value.strip()
        if kind.type is bool and text.lower() in (*_TRUE, *_FALSE):
            return format_value(text.lower() in _TRUE)
        if kind.type is tuple:
            return format_value([part for part in map(str.strip, value.split(",")) if part])
        if kind.type in (int, float):
            return _guess_number(kind, text)
    elif kind.type in (str, Path) and isinstance(value, bool | int | float):
        return format_value(_as_text(value))
    elif kind.type is bool and value in (0, 1):
        return format_value(bool(value))
    elif kind.type in (str, Path) and isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return format_value(value[0])
    return ""


def _guess_number(kind: Kind, text: str) -> str:
    try:
        number = kind.type(text)
    except ValueError:
        return ""
    try:
        return format_value(_check_number(kind, number))
    except UnusableValue:
        return ""


def _as_text(value: float) -> str:
    if isinstance(value, int) and value.bit_length() > _HUGE_BITS:
        return "a huge number"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _name_value(value: Any) -> str:
    """Describe a value in words."""
    match value:
        case dict():
            return "got a table"
        case list():
            shown = _show_text(value) if all(isinstance(item, str) for item in value) else ""
            return f"got the list {shown}" if shown and len(shown) <= _SHORT else "got a list"
        case bool() | int() | str():
            shown = _show_text(value) if isinstance(value, str) else _as_text(value)
            return f"got {shown}" if len(shown) <= _SHORT else f"got {shown[:_SHORT]}…"
        case float():
            return f"got {value:.10g}"
        case _:
            return f"got the date or time {value}"


def _show_text(value: str | list[str]) -> str:
    return replace_unprintable(format_value(value))


def parse_text(setting: Setting, text: str) -> Any:
    """Return the value that the text of an environment variable or of its file stands for. Raises UnusableValue.

    Texts and paths are taken as they are, numbers, `true` and `false` as in a file; a list is one of TOML, or separated
    by commas.
    """
    kind = kind_of(setting)
    if kind.type in (str, Path):
        return check_value(setting, text)
    if kind.type is tuple and not text.lstrip().startswith("["):
        return tuple(_split_list(text))
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        value = text
    return check_value(setting, value)


def _split_list(text: str) -> Sequence[str]:
    return [part for part in map(str.strip, text.split(",")) if part]
