"""Checks of settings: one name and value at a time, so that an error names the setting and what it accepts."""

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any, Final, Literal, NamedTuple, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from scoville_client.i18n.language import list_languages, tr
from scoville_client.settings.preferences import Preferences
from scoville_shared.text import LONGEST_NAME

_SWITCHES: Final = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}
_LONGEST_SHOWN: Final = 60
AUTO: Final = "auto"
LANGUAGE: Final = "language"


class BadSettings(ValueError):
    """A setting that cannot be used; its text says which, where, and what to do."""


class Setting(NamedTuple):
    """One setting: its name in the file, its explanation in English, the words that it may be, and its default."""

    name: str
    about: str
    words: tuple[str, ...]
    default: Any
    type: Any

    @property
    def choices(self) -> tuple[str, ...]:
        """The values of a setting that has only a few; languages are also those of installed packages."""
        return (AUTO, *list_languages()) if self.name == LANGUAGE else self.words


@cache
def all_settings() -> Mapping[str, Setting]:
    """Return every setting by name, in the order of the file."""
    hints = get_type_hints(Preferences, include_extras=True)
    return {
        field.name: _make_setting(field.name, hints[field.name], _default_of(field))
        for field in msgspec.structs.fields(Preferences)
    }


def _default_of(field: msgspec.structs.FieldInfo) -> Any:
    return field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()


def _make_setting(name: str, hint: Any, default: Any) -> Setting:
    kind, *metas = get_args(hint)
    about = next(meta.description for meta in metas if isinstance(meta, Meta) and meta.description)
    words = get_args(kind) if get_origin(kind) is Literal else ()
    return Setting(name, about, words, default, hint)


def parse_setting(text: str) -> tuple[str, Any]:
    """Parse NAME=VALUE. Raises BadSettings."""
    name, equals, value = text.partition("=")
    if not equals:
        raise BadSettings(
            tr("{text} is not a setting; write NAME=VALUE, such as theme=light.", text=_shown_value(text))
        )
    return name, from_text(name, value)


def from_text(name: str, text: str) -> Any:
    """Return the value that a text from the environment or the command line stands for. Raises BadSettings.

    A language must be there now. That of the file need not: who uninstalls a package can read the settings still.
    """
    setting = find_setting(name)
    if isinstance(setting.default, Mapping):
        raise BadSettings(tr("The setting {name} can only be set in the settings file.", name=name))
    if isinstance(setting.default, bool):
        return check_setting(name, _SWITCHES.get(text.lower(), text))
    if name == LANGUAGE and text not in setting.choices:
        raise BadSettings(_complaint_text(setting, text))
    return check_setting(name, text)


def find_setting(name: str) -> Setting:
    """Return the setting of a name. Raises BadSettings with the name that may have been meant."""
    setting = all_settings().get(name)
    if setting is None:
        raise BadSettings(
            f"{tr('There is no setting {name}.', name=_shown_value(name))} {_suggestion_text(name, all_settings())}"
        )
    return setting


def check_setting(name: str, value: Any) -> Any:
    """Return a value that fits the setting. Raises BadSettings with the accepted values."""
    setting = find_setting(name)
    try:
        return msgspec.convert(value, setting.type)
    except msgspec.ValidationError as error:
        raise BadSettings(_complaint_text(setting, value)) from error


def apply_settings(preferences: Preferences, values: Mapping[str, Any]) -> Preferences:
    """Return preferences with other values. Raises BadSettings for one that does not fit."""
    fit = {name: check_setting(name, value) for name, value in values.items()}
    return msgspec.structs.replace(preferences, **fit)


def as_map(preferences: Struct) -> dict[str, Any]:
    """Return every setting by name."""
    return msgspec.structs.asdict(preferences)


def _complaint_text(setting: Setting, value: Any) -> str:
    fields = {"name": setting.name, "value": _shown_value(value)}
    if setting.choices:
        return tr("{name} must be one of {choices} (got {value}).", choices=", ".join(setting.choices), **fields)
    if isinstance(setting.default, bool):
        return tr("{name} must be true or false (got {value}).", **fields)
    if isinstance(setting.default, Mapping):
        return tr('{name} must be a table of actions, each with keys such as "c" (got {value}).', **fields)
    return tr("{name} must be a text of at most {n} characters (got {value}).", n=LONGEST_NAME, **fields)


def _suggestion_text(name: str, names: Mapping[str, object]) -> str:
    near = get_close_matches(name, names, n=1)
    if near:
        return tr("Did you mean {name}?", name=near[0])
    return tr("There are: {names}.", names=", ".join(names))


def _shown_value(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN and text.isprintable() else f"{text[:_LONGEST_SHOWN]!a}…"
