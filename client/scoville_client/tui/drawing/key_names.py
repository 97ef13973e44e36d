"""Names of keys: as Textual has them, as the settings file lists them, and as users read them."""

from collections.abc import Iterator
from typing import Final
from unicodedata import name

from textual.keys import KEY_NAME_REPLACEMENTS, format_key

from scoville_client.i18n.language import tr

_TYPED: Final = "".join(map(chr, range(32, 127)))
"""The characters of a keyboard."""
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
    return [_name_key(key.strip()) for key in keys.split(",") if key.strip()]


def written_key(key: str) -> str:
    """Return a key as users read it."""
    *modifiers, last = key.split("+")
    written = _WRITTEN.get(last) or (last.upper() if last[:1] == "f" and last[1:].isdecimal() else format_key(last))
    return "+".join([*(modifier.capitalize() for modifier in modifiers), written])


def keys_in(written: str) -> Iterator[tuple[int, str, str]]:
    """Find the keys in a hint such as "Enter n": yield the place of each, as users read it, and as Textual names it.

    Names of several keys, such as "0-9", are left out.
    """
    names = {tr(text): key for key, text in _WRITTEN.items()}
    place = 0
    for word in written.split(" "):
        *modifiers, last = word.split("+") if len(word) > 1 else [word]
        key = names.get(last, _name_key(last) if len(last) == 1 else last.lower() if _is_function(last) else "")
        if key:
            yield place, word, "+".join([*map(str.lower, modifiers), key])
        place += len(word) + 1


def character_of(key: str) -> str | None:
    """Return the character that a key types, by the key's name in Textual; None for keys such as Enter."""
    return next((char for char in _TYPED if key == ("space" if char == " " else _name_key(char))), None)


def _is_function(word: str) -> bool:
    return word[:1] == "F" and word[1:].isdecimal()


def _name_key(key: str) -> str:
    """Return the name of a key: letters and digits are their own."""
    if len(key) != 1 or key.isalnum():
        return key
    full = name(key, key).lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(full, full)
