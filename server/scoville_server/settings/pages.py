"""All settings as pages: a commented TOML file, and a Markdown table."""

import textwrap
from collections.abc import Iterator

from scoville_server.settings.description import Setting, all_settings, format_value
from scoville_server.settings.model import Settings

_WIDTH = 110


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
            yield f"| `{setting.key}` | `{format_value(setting.value)}` | {setting.bounds} | {setting.reason} |"


def _format_setting(setting: Setting) -> Iterator[str]:
    bounds = f" ({setting.bounds})" if setting.bounds else ""
    yield ""
    yield from _format_comment(setting.reason + bounds)
    yield f"# {setting.key.rpartition('.')[2]} = {format_value(setting.value)}"


def _format_comment(text: str) -> list[str]:
    return [f"# {row}" for row in textwrap.wrap(text, _WIDTH)]
