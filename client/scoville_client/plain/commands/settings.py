"""Settings in the line mode: those of the settings file, one per line, and how they are changed."""

import os
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from scoville_client.i18n.language import environment_language, set_language, tr
from scoville_client.plain.app import LineModeApp
from scoville_client.session.commands.command import ANYWHERE, Argument, Command, split_words
from scoville_client.settings.checks import all_settings, as_map, parse_setting
from scoville_client.settings.file import SettingsFile, toml_value, user_file
from scoville_client.settings.preferences import MEMORIES, Preferences
from scoville_shared.engine.phrases import Phrase


async def _show_settings(app: LineModeApp, words: Sequence[str]) -> Sequence[str]:
    if app.is_hosted:
        raise ValueError(tr("This server keeps no settings of the line mode. To change the language type language."))
    kept = SettingsFile(user_file(), os.environ)
    changes = dict(map(parse_setting, words))
    if changes:
        kept.save(replace(kept.preferences, **changes))
    if "language" in changes:
        set_language(environment_language() if changes["language"] == "auto" else changes["language"])
        await app.session.change_language()
    _write_settings(app, kept.preferences, changes or [name for name in all_settings() if name not in MEMORIES])
    return () if changes else [tr("To change one type, for example, settings language=de")]


def _write_settings(app: LineModeApp, preferences: Preferences, names: Iterable[str]) -> None:
    """Write some settings with their explanations; tables, such as those of keys, are only in the file."""
    values = as_map(preferences)
    for name in names:
        setting = all_settings()[name]
        if not isinstance(setting.default, dict):
            about = tr(setting.about)
            choices = f" ({', '.join(setting.choices)})" if setting.choices else ""
            said = tr("{name} = {value}: {about}", name=name, value=toml_value(values[name]), about=f"{about}{choices}")
            app.output.write_answer([said])


COMMANDS = (
    Command(
        ("settings",),
        (Argument("[NAME=VALUE ...]", split_words, default=[]),),
        Phrase("List your settings, or change them."),
        _show_settings,
        ANYWHERE,
    ),
)
