"""Faults of settings: where, which setting, what is wrong, what is allowed, and what was probably meant."""

from typing import Final, NamedTuple

from msgspec import Struct

from scoville_server.settings.derived import setting_for
from scoville_server.settings.description import Setting, all_settings, format_value, is_table
from scoville_server.settings.model import OF_ONE_RUN, Settings
from scoville_server.settings.toml_text import replace_unprintable

_SIMILAR: Final = 0.7
"""How similar two names must be, from 0 to 1, for one to be a typing mistake of the other."""


class SettingFault(Struct, frozen=True, kw_only=True):
    """A fault of settings.

    Attributes:
        place: Where it is: `server.toml:12`, `SCOVILLE_PORT` or `--port`.
        setting: The setting's name; empty for a fault of the file's syntax.
        what: The fault.
        allowed: The values that the setting takes; empty where that does not help.
        did_you_mean: The name or value that was probably meant; empty if nothing is near.
        harmless: Whether a server starts all the same: a setting of an earlier version has no effect any more.
    """

    place: str
    setting: str = ""
    what: str
    allowed: str = ""
    did_you_mean: str = ""
    harmless: bool = False

    def __str__(self) -> str:
        parts = [self.what, self.allowed and f"allowed: {self.allowed}"]
        parts.append(self.did_you_mean and f"did you mean {self.did_you_mean}?")
        return replace_unprintable(": ".join(filter(None, (self.place, self.setting, "; ".join(filter(None, parts))))))


KNOWN: Final[dict[str, Setting]] = {setting.key: setting for setting in all_settings(Settings())}
"""Every setting and every table of settings by name."""


def find_near(word: str, words: "list[str]") -> str:
    """Return the word that was probably meant, empty if none is near.

    >>> find_near("prot", ["host", "port"])
    'port'
    """
    from difflib import get_close_matches  # most starts find no fault, and users wait for them

    return next(iter(get_close_matches(word.lower().replace("-", "_"), words, 1, _SIMILAR)), "")


def check_name(key: str, place: str) -> SettingFault | None:
    """Return the fault of a setting's name in a file, None if it is right."""
    if key in KNOWN:
        return None
    if (former := find_former(key, place)) is not None:
        return former
    outer = next((name for name in _outer_names(key) if name in KNOWN and not KNOWN[name].is_table), "")
    if outer:
        return SettingFault(
            place=place, setting=key, what=f"{outer} is a single setting, not a table; write {outer} = …"
        )
    what, allowed, meant = _explain_unknown(key)
    return SettingFault(place=place, setting=key, what=what, allowed=allowed, did_you_mean=meant)


def find_former(key: str, place: str) -> SettingFault | None:
    """Return the sentence about a setting of an earlier version, None for any other name.

    It refuses no start: who installs a newer version must not find their server down for a line without effect.
    """
    value = _former_value(key)
    if value is None:
        return None
    now, setting = format_value(value), setting_for(key)
    what = f"it changes with {setting}; set that instead" if setting else f"it is {now} on every server; remove it"
    return SettingFault(
        place=place, setting=key, what=f"this is no longer a setting and has no effect: {what}", harmless=True
    )


def _outer_names(key: str) -> list[str]:
    parts = key.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts))]


class _Explained(NamedTuple):
    """Fault of a name, with what is allowed in its place and the name that was probably meant."""

    what: str
    allowed: str = ""
    did_you_mean: str = ""


def _explain_unknown(key: str) -> _Explained:
    table, _, name = key.rpartition(".")
    singles = [known for known, setting in KNOWN.items() if not setting.is_table]
    namesakes = [known for known in singles if known.rpartition(".")[2] == name.lower().replace("-", "_")]
    if len(namesakes) == 1:
        return _explain_namesake(namesakes[0], table)
    inside = [known for known in singles if known.rpartition(".")[0] == table]
    near = find_near(key, inside) or find_near(key, [*KNOWN])
    if near:
        return _Explained("there is no such setting", did_you_mean=near)
    tables = [known for known, setting in KNOWN.items() if setting.is_table]
    if table and (table := find_near(table, tables)):
        names = [known.rpartition(".")[2] for known in singles if known.rpartition(".")[0] == table]
        return _Explained("there is no such setting", f"{', '.join(names)} under [{table}]")
    return _Explained("there is no such setting; scoville-server settings lists all")


def _explain_namesake(right: str, table: str) -> _Explained:
    where, _, name = right.rpartition(".")
    if where:
        return _Explained(f"{name} belongs under [{where}]", did_you_mean=right)
    if not table:
        return _Explained("there is no such setting", did_you_mean=right)
    return _Explained(f"{name} belongs at the top of the file, above the first [table]")


def _former_value(key: str) -> object:
    """Return the value of a bound that was a setting of an earlier version, or None."""
    value: object = Settings()
    for name in key.split("."):
        fields = getattr(value, "__struct_fields__", ())
        value = getattr(value, name) if name in fields else None
    return None if key in OF_ONE_RUN or is_table(value) else value
