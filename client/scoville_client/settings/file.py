"""Settings file: TOML with every setting below its explanation. Changes replace single lines; comments of users stay.

Beside the file, the environment (`SCOVILLE_THEME=light`) and the command line (`--set theme=light`) choose settings for
one run; they win in this order, and are never written into the file.
"""

import os
import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from scoville_client.i18n.language import tr
from scoville_client.settings.checks import BadSettings, Setting, all_settings, apply_settings, as_map, from_text
from scoville_client.settings.preferences import Preferences
from scoville_runtime.atomic_files import FOR_ALL, replace_file

PREFIX: Final = "SCOVILLE_"
"""Of the environment variables that choose a setting."""
FILE_VARIABLE: Final = f"{PREFIX}SETTINGS"
"""Environment variable with the path of another settings file."""
ACCESSIBLE: Final = "ACCESSIBLE"
"""Environment variable by which users of screen readers ask all programs for lines of text."""
_NOT_ACCESSIBLE: Final = ("", "0", "false")
_NAME: Final = "settings.toml"
_LONGEST: Final = 65_536
"""Bytes of the file that are read; this client writes about three thousand."""
_WIDTH: Final = 100


class SettingsFile:
    """The settings of a user: those of the file, below those of the environment and of the command line.

    Args:
        path: The file; None where nothing can be kept.
        environment: Variables such as SCOVILLE_THEME.

    Raises BadSettings, naming the file or the variable, the setting, and what to do.
    """

    def __init__(self, path: Path | None, environment: Mapping[str, str] | None = None) -> None:
        self.path = path
        self.sources = dict.fromkeys(all_settings(), "default")
        """Where each setting comes from: default, file, environment or command line."""
        found = _read_values(path)
        self.preferences = _make_preferences(path, found)
        self.sources.update(dict.fromkeys(found, "file"))
        if asks_for_lines(environment or {}):
            self.choose("screen_reader", True, "environment")
        for name in all_settings():
            variable = f"{PREFIX}{name.upper()}"
            if (environment or {}).get(variable):
                self.choose(name, _of_variable(name, (environment or {})[variable], variable), "environment")

    def choose(self, name: str, value: Any, source: str) -> None:
        """Choose a setting for this run only."""
        self.preferences = replace(self.preferences, **{name: value})
        self.sources[name] = source

    def save(self, preferences: Preferences) -> None:
        """Write the differences from the present preferences into the file, at once or not at all.

        Raises BadSettings when the file cannot be read or written.
        """
        before, after = as_map(self.preferences), as_map(preferences)
        changes = {name: value for name, value in after.items() if value != before[name]}
        self.preferences = preferences
        if not changes or self.path is None:
            return
        # From the file as it is now: another client may have changed other settings in the meantime.
        wanted = replace(_make_preferences(self.path, _read_values(self.path)), **changes)
        try:
            _replace_text(self.path, _with_changes(_read_text(self.path), changes, wanted))
        except OSError as error:
            reason = error.strerror or str(error)
            raise BadSettings(
                tr("The settings could not be saved in {file}: {reason}.", file=str(self.path), reason=reason)
            ) from error


def asks_for_lines(environment: Mapping[str, str]) -> bool:
    """Whether the variable ACCESSIBLE asks for lines of text: by any value but 0 and false."""
    return environment.get(ACCESSIBLE, "").lower() not in _NOT_ACCESSIBLE


def user_file(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the path of this user's settings file; None for a user without a home."""
    if environment.get(FILE_VARIABLE):
        return Path(environment[FILE_VARIABLE])
    from platformdirs import user_config_path

    try:
        return user_config_path("scoville", appauthor=False) / _NAME
    except RuntimeError:  # ~ of a user without a home
        return None


def settings_page(preferences: Preferences) -> Iterator[str]:
    """Yield the lines of a settings file with every setting below its explanation."""
    yield f"# {tr('Settings of Scoville. The settings screen (N) writes here, too.')}"
    for name, value in as_map(preferences).items():
        yield ""
        yield from _comment_rows(all_settings()[name])
        if isinstance(value, Mapping):
            yield f"[{name}]"
            yield from (f"{toml_value(key)} = {toml_value(each)}" for key, each in value.items())
        else:
            yield f"{name} = {toml_value(value)}"


def toml_value(value: object) -> str:
    """Write a text or a switch as TOML, whose texts are written like those of JSON."""
    return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")


# --- reading --------------------------------------------------------------------------------------------


def _read_text(path: Path) -> str:
    """Return the contents of the file; empty where there is none. Raises OSError, UnicodeDecodeError."""
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST).decode("utf-8")
    # Every other error is reported: a file that cannot be read is not replaced by defaults.
    except (FileNotFoundError, NotADirectoryError):
        return ""


def _read_values(path: Path | None) -> dict[str, Any]:
    text = ""
    try:
        text = "" if path is None else _read_text(path)
    except OSError as error:
        raise unusable_text(path, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise unusable_text(path, tr("It is not UTF-8 text.")) from error
    if not text:
        return {}
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise unusable_text(path, tr("It is not valid TOML: {error}.", error=str(error))) from error


def _of_variable(name: str, text: str, variable: str) -> Any:
    try:
        return from_text(name, text)
    except BadSettings as error:
        raise BadSettings(f"{variable}: {error}") from error


def _make_preferences(path: Path | None, values: Mapping[str, Any]) -> Preferences:
    try:
        return apply_settings(Preferences(), values)
    except BadSettings as error:
        raise unusable_text(path, str(error)) from error


def unusable_text(path: Path | None, why: str) -> BadSettings:
    """Make the error of a file that cannot be used, with the reason and what to do."""
    todo = tr("Correct the line or remove it; scoville settings shows what there is.")
    return BadSettings(f"{tr('The settings file {file} cannot be used.', file=str(path))} {why} {todo}")


# --- writing --------------------------------------------------------------------------------------------


def _with_changes(text: str, changes: Mapping[str, Any], wanted: Preferences) -> str:
    """Return the text of the file after changes: lines are replaced; where that is not enough, all are written."""
    import tomllib

    for name, value in changes.items():
        text = _with_line(text, name, f"{name} = {toml_value(value)}")
    try:
        if apply_settings(Preferences(), tomllib.loads(text)) == wanted:
            return text
    except (tomllib.TOMLDecodeError, BadSettings):
        pass  # a value in several lines
    return "\n".join([*settings_page(wanted), ""])


def _with_line(text: str, name: str, line: str) -> str:
    """Replace the line of a setting, or add it below its explanation before the first table."""
    # The line by a function: in a template, the backslashes of a value would be escapes.
    text, replaced = re.subn(rf"^{name}[ \t]*=[^\n]*$", lambda _: line, text, count=1, flags=re.MULTILINE)
    if replaced or not text:
        return text
    block = "\n".join([*_comment_rows(all_settings()[name]), line, ""])
    table = re.search(r"^\[", text, re.MULTILINE)
    if table is None:
        return f"{text.rstrip()}\n\n{block}"
    return f"{text[: table.start()]}{block}\n{text[table.start() :]}"


def _comment_rows(setting: Setting) -> list[str]:
    choices = f" ({', '.join(setting.choices)})" if setting.choices else ""
    return [f"# {row}" for row in textwrap.wrap(tr(setting.about) + choices, _WIDTH)]


def _replace_text(path: Path, text: str) -> None:
    """Replace the file at once: a reader finds the former one or the new one. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A link to a file in a folder of dotfiles stays one.
    replace_file(path.resolve() if path.is_symlink() else path, text.encode("utf-8"), mode=FOR_ALL)
