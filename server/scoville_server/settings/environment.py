"""Settings from environment variables: `SCOVILLE_CONNECTIONS__TOTAL=9`, or `…__FILE` with the path of a file.

A variable overrides the settings file. The file of a `…__FILE` variable holds the value alone; it is for secrets that
neither the environment nor the settings file should show, such as systemd's credentials.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from scoville_server.settings.faults import KNOWN, SettingFault, find_former, find_near
from scoville_server.settings.values import UnusableValue, parse_text

PREFIX: Final = "SCOVILLE_"
FILE_SUFFIX: Final = "__FILE"
CONFIG: Final = "SCOVILLE_CONFIG"
"""The variable with the path of the settings file."""

_OF_OTHERS: Final = frozenset(
    {CONFIG, "SCOVILLE_BELL", "SCOVILLE_COLOURS", "SCOVILLE_NO_LAN", "SCOVILLE_SETTINGS", "SCOVILLE_THEME"}
)
"""Variables that are no settings of the server: the client reads them."""
_LARGEST_FILE: Final = 64 * 1024


class GivenValue(NamedTuple):
    """A value that a source gives a setting.

    Attributes:
        setting: The setting's name.
        value: The checked value.
        origin: Where it comes from: `server.toml:12`, `SCOVILLE_PORT` or `--port`.
    """

    setting: str
    value: object
    origin: str


def name_variable(setting: str) -> str:
    """Return the name of a setting's variable."""
    return PREFIX + setting.upper().replace(".", "__")


VARIABLES: Final[Mapping[str, str]] = {
    name_variable(key): key for key, setting in KNOWN.items() if not setting.is_table
}
"""The setting of each variable."""


def read_environment(environment: Mapping[str, str]) -> tuple[list[GivenValue], list[SettingFault]]:
    """Return the settings that variables give, and their faults."""
    given: list[GivenValue] = []
    faults: list[SettingFault] = []
    for variable in sorted(environment):
        if not variable.startswith(PREFIX) or variable in _OF_OTHERS:
            continue
        try:
            found = _read_variable(variable, environment)
        except UnusableValue as error:
            faults.append(
                SettingFault(
                    place=variable,
                    setting=_setting_of(variable),
                    what=error.what,
                    allowed=error.allowed,
                    did_you_mean=error.did_you_mean,
                )
            )
            continue
        if isinstance(found, GivenValue):
            given.append(found)
        elif found is not None:
            faults.append(found)
    return given, faults


def _setting_of(variable: str) -> str:
    return VARIABLES.get(variable) or VARIABLES.get(variable.removesuffix(FILE_SUFFIX), "")


def _read_variable(variable: str, environment: Mapping[str, str]) -> GivenValue | SettingFault | None:
    """Return the value of a variable, or its fault; None if it may belong to another program.

    Raises UnusableValue.
    """
    setting = _setting_of(variable)
    if variable in VARIABLES:
        return GivenValue(setting, parse_text(KNOWN[setting], environment[variable]), variable)
    if not setting:
        return _explain_unknown(variable)
    twin = variable.removesuffix(FILE_SUFFIX)
    if twin in environment:
        return SettingFault(place=variable, setting=setting, what=f"{twin} is set as well; keep one of them")
    return GivenValue(setting, parse_text(KNOWN[setting], _read_file(environment[variable])), variable)


def _read_file(path: str) -> str:
    """Return the value in a file. Raises UnusableValue."""
    wanted = "the path of a text file with the value"
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            text = file.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise UnusableValue(f"{path} cannot be read: {error.strerror}", wanted) from None
    except ValueError:  # also a path with a sign 0
        raise UnusableValue(f"{path!r} is not a text file in UTF-8", wanted) from None
    if len(text) > _LARGEST_FILE:
        raise UnusableValue(f"{path} is too large", wanted)
    return text.rstrip("\r\n")


def _complete_name(bare: str) -> str:
    """Return the first variable, without its prefix, that ends or begins with a name alone; empty for none."""
    known = (name.removeprefix(PREFIX) for name in VARIABLES)
    return next((name for name in known if name.endswith(f"__{bare}") or name.startswith(f"{bare}__")), "")


def _explain_unknown(variable: str) -> SettingFault | None:
    """Return a fault for a variable that nobody knows; one that looks like no setting may be another program's."""
    file = FILE_SUFFIX if variable.endswith(FILE_SUFFIX) else ""
    former = find_former(variable.removeprefix(PREFIX).removesuffix(FILE_SUFFIX).lower().replace("__", "."), variable)
    if former is not None:
        return former
    # Without the prefix, which would make any two names similar.
    names = [name.removeprefix(PREFIX).lower() for name in VARIABLES]
    bare = variable.removeprefix(PREFIX).removesuffix(FILE_SUFFIX)
    near = find_near(bare, names).upper() or _complete_name(bare)
    if not near and "__" not in variable:
        return None
    what = "there is no setting for this variable"
    return SettingFault(place=variable, what=what, did_you_mean=near and f"{PREFIX}{near}{file}")
