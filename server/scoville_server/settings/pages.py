"""All settings as pages: a short and a full TOML file, a list of environment variables, and a Markdown table.

All four are made of one description, the annotations of `Settings`.
"""

import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from scoville_server.settings.derived import value_of
from scoville_server.settings.description import Setting, all_settings, format_value, shown_value
from scoville_server.settings.environment import PREFIX, name_variable
from scoville_server.settings.live import NEEDS_RESTART
from scoville_server.settings.model import Settings

_WIDTH: Final = 110

ESSENTIAL: Final = (
    "host",
    "port",
    "data",
    "admins",
    "default_tables",
    "limits.memory_mib",
    "doors.enabled",
    "log.level",
)
"""The settings that a host should look at first."""

_HEAD: Final = (
    "# Settings of scoville-server. Lines that begin with # show the defaults: remove the # of a line to change it.",
    "# Check this file with `scoville-server check-config FILE`, start with `scoville-server --config FILE`; the file",
    "# /etc/scoville/server.toml is read by itself. A running server reads it again at SIGHUP (`systemctl reload`).",
)


def full_page(defaults: Settings) -> Iterator[str]:
    """Yield the lines of a settings file with every setting, commented out below its reason and bounds."""
    yield from _HEAD
    yield from _format_settings([*all_settings(defaults)])


def short_page(defaults: Settings) -> Iterator[str]:
    """Yield the lines of a settings file with the settings that a host should look at first."""
    yield from _HEAD
    yield "# All other settings: `scoville-server init --full`, docs/settings.md."
    yield from _format_settings(_choose_settings(defaults, ESSENTIAL))


def environment_page(defaults: Settings) -> Iterator[str]:
    """Yield the lines of a file with every setting's environment variable, commented out below its reason."""
    yield "# Environment variables of scoville-server. Each overrides the settings file. With __FILE behind its name,"
    yield "# a variable is the path of a file with the value, for secrets. Lists are separated by commas."
    for setting in all_settings(defaults):
        if not setting.is_table:
            yield ""
            yield from _describe_setting(setting)
            yield f"# {name_variable(setting.key)}={_format_variable(setting.value)}"


def settings_table(defaults: Settings) -> Iterator[str]:
    """Yield the lines of a Markdown table of all settings: name, default, bounds, when it changes, reason."""
    yield "| setting | default | bounds | changes at | what it bounds, and why |"
    yield "|---|---|---|---|---|"
    for setting in all_settings(defaults):
        if not setting.is_table:
            when = "restart" if setting.key in NEEDS_RESTART else "reload"
            value = f"`{format_value(setting.value)}`"
            yield f"| `{setting.key}` | {value} | {setting.bounds} | {when} | {setting.reason} |"


def effective_page(settings: Settings, origins: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a settings file with every value that holds, and where it comes from."""
    rows = [
        (
            f"{setting.key} = {format_value(shown_value(setting.key, setting.value))}",
            describe_origin(origins.get(setting.key, "")),
        )
        for setting in all_settings(settings)
        if not setting.is_table
    ]
    width = min(max(len(row) for row, _ in rows), _WIDTH // 2)
    for row, origin in rows:
        yield f"{row:<{width}}  # {origin}"


def effective_values(settings: Settings, origins: Mapping[str, str]) -> dict[str, dict[str, object]]:
    """Return every value that holds, and where it comes from, for programs."""
    return {
        setting.key: {
            "value": _plain_value(shown_value(setting.key, value_of(settings, setting.key))),
            "origin": origins.get(setting.key, ""),
        }
        for setting in all_settings(settings)
        if not setting.is_table
    }


def describe_origin(origin: str) -> str:
    """Say what an origin is: a variable, an option, or a file with the number of a line."""
    if origin.startswith(PREFIX):
        return f"environment variable {origin}"
    return f"option {origin}" if origin.startswith("--") else origin


def _plain_value(value: object) -> object:
    if isinstance(value, tuple):
        return [*value]
    return value if isinstance(value, bool | int | float | str) else "" if value is None else str(value)


def _choose_settings(defaults: Settings, keys: Collection[str]) -> list[Setting]:
    """Return some settings, and the tables around them."""
    tables = {key.rpartition(".")[0] for key in keys}
    return [setting for setting in all_settings(defaults) if setting.key in keys or setting.key in tables]


def _format_settings(settings: Sequence[Setting]) -> Iterator[str]:
    later = []
    for setting in settings:
        if "." in setting.key or setting.is_table:
            later.append(setting)  # in TOML, single settings come before all tables
        else:
            yield from _format_setting(setting)
    for setting in later:
        yield from (
            ("", *_format_comment(setting.reason), f"[{setting.key}]") if setting.is_table else _format_setting(setting)
        )


def _format_setting(setting: Setting) -> Iterator[str]:
    yield ""
    yield from _describe_setting(setting)
    yield f"# {setting.key.rpartition('.')[2]} = {format_value(setting.value)}"


def _describe_setting(setting: Setting) -> list[str]:
    bounds = f" ({setting.bounds})" if setting.bounds else ""
    return _format_comment(setting.reason + bounds)


def _format_comment(text: str) -> list[str]:
    return [f"# {row}" for row in textwrap.wrap(text, _WIDTH)]


def _format_variable(value: object) -> str:
    """Write a value for an environment variable."""
    match value:
        case tuple():
            return ",".join(map(str, value))
        case str():
            return value
        case bool() | int() | float():
            return format_value(value)
        case _:
            return "" if value is None else str(value)
