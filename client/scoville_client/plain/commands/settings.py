"""Settings in the line mode: those of the settings file, one per line, and how they are changed."""

import os
from collections.abc import Iterable

from msgspec.structs import replace

from scoville_client.i18n.language import environment_language, set_language, tr
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command import ANYWHERE, Command
from scoville_client.settings.checks import all_settings, as_map, parse_setting
from scoville_client.settings.file import SettingsFile, toml, user_file
from scoville_client.settings.preferences import Preferences


async def _settings(app: LineModeApp, after: list[str]) -> None:
    if app.is_hosted:
        raise ValueError(tr("This server keeps no settings of the line mode. To change the language type language."))
    kept = SettingsFile(user_file(), os.environ)
    changes = dict(map(parse_setting, after))
    if changes:
        kept.save(replace(kept.preferences, **changes))
    if "language" in changes:
        set_language(environment_language() if changes["language"] == "auto" else changes["language"])
    _show(app, kept.preferences, changes or all_settings())
    if not changes:
        app.output.say("To change one type, for example, settings language=de")


def _show(app: LineModeApp, preferences: Preferences, names: Iterable[str]) -> None:
    """Write some settings with their explanations; tables, such as those of keys, are only in the file."""
    values = as_map(preferences)
    for name in names:
        setting = all_settings()[name]
        if not isinstance(setting.default, dict):
            about = tr(setting.about)
            choices = f" ({', '.join(setting.choices)})" if setting.choices else ""
            app.output.say("{name} = {value}: {about}", name=name, value=toml(values[name]), about=f"{about}{choices}")


COMMANDS: tuple[Command, ...] = (
    Command(("settings",), "[NAME=VALUE ...]", "list your settings, or change them", ANYWHERE, _settings),
)
