"""The description of every setting, read from the annotations of `Settings` and the structs in it."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, get_args, get_type_hints

import msgspec
from msgspec import Meta, Struct

from scoville_server.limits.bounds import LARGEST
from scoville_server.settings.model import Settings


class Setting(NamedTuple):
    """One setting, or a table of settings.

    Attributes:
        key: Its name in the file, with its tables: `accounts.hashing.workers`.
        value: Its value now; a Struct with fields for a table of settings.
        reason: The quantity that it bounds, and why.
        bounds: Its smallest and largest value in words; empty without bounds.
        hint: Its annotation.
    """

    key: str
    value: Any
    reason: str
    bounds: str
    hint: Any = None

    @property
    def is_table(self) -> bool:
        """Whether it holds other settings by name."""
        return is_table(self.value)


def all_settings(settings: Settings) -> Iterator[Setting]:
    """Yield every setting that a file may hold; the settings of a table follow it."""
    return _settings_of(settings, "")


def is_table(value: Any) -> bool:
    """Whether a value is a table in the file; a rate is a list there."""
    return isinstance(value, Struct) and not value.__struct_config__.array_like


def format_value(value: Any) -> str:
    """Write a value; None, which TOML lacks, as an empty text to be replaced."""
    match value:
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.10g}" if value != int(value) else f"{value:.1f}"
        case int():
            return str(value)
        case tuple() | list():
            return f"[{', '.join(map(format_value, value))}]"
        case Struct():
            return format_value(msgspec.structs.astuple(value))
        case _:
            return msgspec.json.encode("" if value is None else str(value)).decode()


def _settings_of(settings: Struct, within: str) -> Iterator[Setting]:
    """Yield the fields that have a description; the others are bounds that no file may hold."""
    hints = get_type_hints(type(settings), include_extras=True)
    tables = []
    for name in settings.__struct_fields__:
        setting = Setting(f"{within}{name}", getattr(settings, name), *_describe_hint(hints[name]), hints[name])
        if setting.is_table and setting.reason:
            tables.append(setting)
        elif setting.reason:
            yield setting
    for setting in tables:
        yield setting
        yield from _settings_of(setting.value, f"{setting.key}.")


def _describe_hint(hint: Any) -> tuple[str, str]:
    """Return the reason and the bounds that an annotation states; optional types have them one level below."""
    metas = [part for part in get_args(hint) if isinstance(part, Meta)]
    if not metas:
        return next((found for part in get_args(hint) if (found := _describe_hint(part))[0]), ("", ""))
    reason = next((meta.description for meta in metas if meta.description), "")
    least = next((meta.ge for meta in metas if meta.ge is not None), None)
    most = next((meta.le for meta in metas if meta.le is not None and meta.le != LARGEST), None)
    limits = (("at least", least), ("at most", most))
    return reason, ", ".join(f"{words} {format_value(limit)}" for words, limit in limits if limit is not None)


SECRETS: Final = {"community.password", "cluster.servers", "cluster.system"}
"""Settings whose values are shown nowhere."""


def shown_value(key: str, value: Any) -> Any:
    """Return a value as it is shown: a secret by stars, since hosts paste pages and logs into reports."""
    return "***" if value and key in SECRETS else value
