"""A server's settings as a TOML file: reading with checks, and printing with bounds and reasons.

Everything comes from the annotations of `config.Settings` and the structs in it.
"""

import re
import textwrap
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_type_hints

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from scoville_server.config import BadSettings, Settings, derive_bounds, proxies_of, setting_for
from scoville_server.limits.bounds import LARGEST

_WIDTH = 110
_AT = re.compile(r" - at `\$\.?(?P<key>.*)`$")
_OF_ONE_RUN = ("seed", "opening", "leave_out_damaged", "game_options", "offered")
"""Fields of the settings that come from the command line or from the host's client alone."""


class Setting(NamedTuple):
    """One setting, or a table of settings.

    Attributes:
        key: Its name in the file, with its tables: `accounts.hashing.workers`.
        value: Its value now; a Struct with fields for a table of settings.
        reason: What it bounds, and why.
        bounds: Its smallest and largest value in words; empty without bounds.
    """

    key: str
    value: Any
    reason: str
    bounds: str

    @property
    def is_table(self) -> bool:
        """Whether it holds other settings by name."""
        return _is_table(self.value)


def all_settings(settings: Settings) -> Iterator[Setting]:
    """Yield every setting that a file may hold; the settings of a table follow it."""
    return _settings_of(settings, "")


def read_settings(path: Path, defaults: Settings) -> Settings:
    """Read a settings file; missing settings stay as in `defaults`.

    Raises BadSettings, naming the file, the setting and its bound.
    """
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadSettings(f"The settings file {path} cannot be read: {error.strerror}.") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadSettings(f"The settings file {path} is not valid TOML: {error}.") from error
    given = [*_keys_of(found)]
    if faults := [*_unknown_keys(given)]:
        raise BadSettings(f"The settings file {path} cannot be used: {' '.join(faults)}")
    try:
        read = msgspec.convert(found, Settings, dec_hook=_read_path)
    except msgspec.ValidationError as error:
        raise BadSettings(f"The settings file {path} cannot be used: {_explain_fault(str(error), found)}.") from error
    try:
        proxies_of(read)
    except ValueError as error:
        raise BadSettings(f"The settings file {path} cannot be used: {error}.") from error
    return derive_bounds(replace(defaults, **{name: getattr(read, name) for name in found}), given)


def settings_page(defaults: Settings) -> Iterator[str]:
    """Yield the lines of a settings file with the default values, each commented out below its reason and bounds."""
    yield "# Default settings of scoville-server. Keep what you change; start with: scoville-server --config FILE"
    later = []
    for setting in all_settings(defaults):
        if "." in setting.key or setting.is_table:
            later.append(setting)  # in TOML, single settings come before all tables
        else:
            yield from _format_setting(setting)
    for setting in later:
        yield from (
            ("", *_format_comment(setting.reason), f"[{setting.key}]") if setting.is_table else _format_setting(setting)
        )


def settings_table(defaults: Settings) -> Iterator[str]:
    """Yield the lines of a Markdown table of all settings: name, default, bounds, reason."""
    yield "| setting | default | bounds | what it bounds, and why |"
    yield "|---|---|---|---|"
    for setting in all_settings(defaults):
        if not setting.is_table:
            yield f"| `{setting.key}` | `{_format_value(setting.value)}` | {setting.bounds} | {setting.reason} |"


# --- reading --------------------------------------------------------------------------------------------


def _read_path(kind: type, value: Any) -> Any:
    if kind is Path and isinstance(value, str):
        return Path(value).expanduser()
    raise NotImplementedError(kind)


def _keys_of(found: Mapping[str, Any], within: str = "") -> Iterator[str]:
    """Yield the names of settings in a file, with their tables."""
    for name, value in found.items():
        if isinstance(value, Mapping) and value:
            yield from _keys_of(value, f"{within}{name}.")
        else:
            yield f"{within}{name}"


def _unknown_keys(given: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each name that is no setting, or is one no longer."""
    known = {setting.key: setting.is_table for setting in all_settings(Settings())}
    for key in given:
        value = _bound_of(key)
        # A table where a single setting belongs is of the wrong type, which is found when it is read.
        if key in known or any(key.startswith(f"{other}.") for other, is_table in known.items() if not is_table):
            continue
        if value is None:
            yield f"there is no setting {key}."
            continue
        now = _format_value(value)
        if setting := setting_for(key):
            yield f"{key} is no longer a setting: it is {now} and changes with {setting}; set that instead."
        else:
            yield f"{key} is no longer a setting: it is {now} on every server; remove it."


def _bound_of(key: str) -> Any:
    """Return the value of a bound that was a setting of an earlier version, or None."""
    value: Any = Settings()
    for name in key.split("."):
        value = getattr(value, name, None)
    return None if key in _OF_ONE_RUN or _is_table(value) else value


def _explain_fault(message: str, found: Mapping[str, Any]) -> str:
    """Translate a message of msgspec into one about a setting, with the value that was found."""
    at = _AT.search(message)
    key = at["key"] if at else ""
    problem = _AT.sub("", message)
    expected, got, _ = problem.partition(", got ")
    return (
        f"{key}: {expected[:1].lower()}{expected[1:].replace('`', '')} (got {_show_value(_value_at(found, key), got)})"
    )


def _value_at(found: Any, key: str) -> Any:
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", key):
        found = found[int(index)] if index else found[name]
    return found


def _show_value(value: Any, kind: str) -> str:
    text = repr(value)
    return text if len(text) < 60 and text.isprintable() else kind.replace("`", "") or f"{text[:20]!a}…"


def _is_table(value: Any) -> bool:
    """Whether a value is a table in the file; a rate is a list there."""
    return isinstance(value, Struct) and not value.__struct_config__.array_like


# --- printing -------------------------------------------------------------------------------------------


def _settings_of(settings: Struct, within: str) -> Iterator[Setting]:
    """Yield the fields that have a description; the others are bounds that no file may hold."""
    hints = get_type_hints(type(settings), include_extras=True)
    tables = []
    for name in settings.__struct_fields__:
        setting = Setting(f"{within}{name}", getattr(settings, name), *_describe_hint(hints[name]))
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
    return reason, ", ".join(f"{words} {_format_value(limit)}" for words, limit in limits if limit is not None)


def _format_setting(setting: Setting) -> Iterator[str]:
    bounds = f" ({setting.bounds})" if setting.bounds else ""
    yield ""
    yield from _format_comment(setting.reason + bounds)
    yield f"# {setting.key.rpartition('.')[2]} = {_format_value(setting.value)}"


def _format_comment(text: str) -> list[str]:
    return [f"# {row}" for row in textwrap.wrap(text, _WIDTH)]


def _format_value(value: Any) -> str:
    """Write a value; None, which TOML lacks, as an empty text to be replaced."""
    match value:
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.10g}" if value != int(value) else f"{value:.1f}"
        case int():
            return str(value)
        case tuple() | list():
            return f"[{', '.join(map(_format_value, value))}]"
        case Struct():
            return _format_value(msgspec.structs.astuple(value))
        case _:
            return msgspec.json.encode("" if value is None else str(value)).decode()
