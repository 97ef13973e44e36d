"""Settings on the command line: read at the start, chosen for one run, and the command `scoville settings`."""

import os
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace

from scoville_client.i18n.language import environment_language, set_language, tr
from scoville_client.output import complain, write_line
from scoville_client.settings.checks import BadSettings, all_settings, as_map, parse_setting
from scoville_client.settings.file import SettingsFile, toml_value, unusable_text, user_file

_TYPED: Final = "command line"


def read_settings(language: str | None) -> tuple[SettingsFile, str]:
    """Read the user's settings, and speak their language, or the one typed.

    Returns:
        The settings, or defaults with the sentence why they cannot be used.
    """
    set_language(language or environment_language())
    fault = ""
    # A fault is returned, not raised: commands that need no settings, such as verify, work all the same.
    try:
        settings = SettingsFile(user_file(), os.environ)
    except BadSettings as error:
        settings, fault = SettingsFile(None), str(error)
    chosen = settings.preferences.language
    if language is None and chosen != "auto":
        set_language(chosen)
    return settings, fault


def choose_settings(settings: SettingsFile, asked: Namespace, chosen: Iterable[str]) -> None:
    """Choose for this run what the command line says: `chosen` are the values of --set, which fit."""
    # Not every command has every option.
    own = {
        "name": getattr(asked, "name", ""),
        "language": getattr(asked, "language", ""),
        "characters": "ascii" if getattr(asked, "ascii", False) else "",
        "colours": "none" if getattr(asked, "no_color", False) else "",
    }
    typed = dict(map(parse_setting, chosen)) | {name: value for name, value in own.items() if value}
    for name, value in typed.items():
        settings.choose(name, value, _TYPED)
    if typed.get("language", "auto") != "auto":
        set_language(typed["language"])


def key_fault(settings: SettingsFile) -> str | None:
    """Return why the keys of the settings cannot be used, if so; nothing is loaded where there are none."""
    if not settings.preferences.keys:
        return None
    from scoville_client.tui.keymap import check_keymap

    try:
        check_keymap(settings.preferences.keys)
    except BadSettings as error:
        return str(unusable_text(settings.path, str(error)))
    return None


def show_settings(asked: Namespace) -> int:
    """Change settings in the file, and print all of them; returns the exit status."""
    settings: SettingsFile = asked.settings
    fault = asked.settings_fault or _change_settings(settings, dict(asked.change))
    if fault:
        complain(fault)
        return 2
    for line in _list_keys() if asked.keys else _report_settings(settings):
        write_line(line)
    return 0


def _list_keys() -> Iterator[str]:
    from scoville_client.tui.keymap import list_names

    yield tr("Keys that the table [keys] of the settings file can change:")
    yield ""
    for name, keys, about in list_names():
        yield f"{name} = {toml_value(keys)}"
        yield f"    {tr(about)}"


def _change_settings(settings: SettingsFile, changes: Mapping[str, Any]) -> str:
    try:
        settings.save(replace(settings.preferences, **changes))
    except BadSettings as error:
        return str(error)
    settings.sources.update(dict.fromkeys(changes, "file"))
    return ""


def _report_settings(settings: SettingsFile) -> Iterator[str]:
    yield tr("Settings file: {file}", file=str(settings.path or tr("none")))
    sources = {
        "default": tr("default"),
        "file": tr("from the file"),
        "environment": tr("from the environment"),
        _TYPED: tr("from the command line"),
    }
    for name, value in as_map(settings.preferences).items():
        setting = all_settings()[name]
        yield ""
        yield f"{name} = {_write_value(value)}   ({sources[settings.sources[name]]})"
        choices = f" ({', '.join(setting.choices)})" if setting.choices else ""
        yield f"    {tr(setting.about)}{choices}"


def _write_value(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {toml_value(each)}" for key, each in value.items()) + "}"
    return toml_value(value)
