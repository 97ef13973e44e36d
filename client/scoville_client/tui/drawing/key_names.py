"""Names of keys: as Textual has them, as the settings file lists them, and as users read them."""

from typing import Final
from unicodedata import name

from textual.keys import format_key

_WRITTEN: Final = {
    "enter": "Enter",
    "space": "Space",
    "escape": "Esc",
    "backspace": "Backspace",
    "tab": "Tab",
    "home": "Home",
    "end": "End",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
}


def key_list(keys: str) -> list[str]:
    """Split keys that are separated by commas; signs get Textual's names."""
    return [_named(key.strip()) for key in keys.split(",") if key.strip()]


def written_key(key: str) -> str:
    """Return a key as users read it."""
    *modifiers, last = key.split("+")
    written = _WRITTEN.get(last) or (last.upper() if last[:1] == "f" and last[1:].isdecimal() else format_key(last))
    return "+".join([*(modifier.capitalize() for modifier in modifiers), written])


def _named(key: str) -> str:
    """Return the name of a key: letters and digits are their own."""
    if len(key) != 1 or key.isalnum():
        return key
    return name(key, key).lower().replace("-", "_").replace(" ", "_")
