"""A server's settings as a TOML file: reading with checks."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from scoville_server.observation.limits import parse_listen
from scoville_server.settings.derived import derive_bounds, setting_for
from scoville_server.settings.description import all_settings, format_value, is_table
from scoville_server.settings.model import OF_ONE_RUN, BadSettings, Settings, proxies_of

_AT = re.compile(r" - at `\$\.?(?P<key>.*)`$")


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
        if read.metrics.listen:
            parse_listen(read.metrics.listen)
    except ValueError as error:
        raise BadSettings(f"The settings file {path} cannot be used: {error}.") from error
    return derive_bounds(replace(defaults, **{name: getattr(read, name) for name in found}), given)


def read_option_file(option: str, path: Path) -> dict[str, dict[str, Any]]:
    """Read a host's own value of an option from a text file, by game and option, for each game that can read it.

    docs/rules describes the formats. Raises BadSettings, naming the file and the line.
    """
    from scoville_shared.games import registry

    readers = {slug: registry.load_game(slug).option_files.get(option) for slug in registry.list_usable()}
    try:
        text = path.read_text(encoding="utf-8")
        return {slug: {option: reader(text)} for slug, reader in readers.items() if reader is not None}
    except OSError as error:
        raise BadSettings(f"The {option} file {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadSettings(f"The {option} file {path} is not a text file.") from error
    except ValueError as error:
        raise BadSettings(f"The {option} file {path} cannot be used: {error}.") from error


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
        now = format_value(value)
        if setting := setting_for(key):
            yield f"{key} is no longer a setting: it is {now} and changes with {setting}; set that instead."
        else:
            yield f"{key} is no longer a setting: it is {now} on every server; remove it."


def _bound_of(key: str) -> Any:
    """Return the value of a bound that was a setting of an earlier version, or None."""
    value: Any = Settings()
    for name in key.split("."):
        value = getattr(value, name, None)
    return None if key in OF_ONE_RUN or is_table(value) else value


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
