"""What a person likes, kept from one run to the next in a small file of their own; nothing depends on it."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

_FILE = "client.json"
_LONGEST = 4096
"""Bytes of the file that are looked at; what we write is far shorter."""


class Preferences(Struct, frozen=True):
    """Whether the light look is wanted, and stories with less motion; and what may call: the bell, the title, talk."""

    light: bool = False
    calm: bool = False
    bell: bool = True
    title: bool = True
    chat_lines: bool = True


def load_preferences(environment: Mapping[str, str] = os.environ) -> Preferences:
    """Read what was remembered; where there is nothing, or something else, it is as if for the first time."""
    try:
        with (_folder(environment) / _FILE).open("rb") as file:
            return msgspec.json.decode(file.read(_LONGEST), type=Preferences)
    except (OSError, RuntimeError, msgspec.MsgspecError, UnicodeDecodeError):
        return Preferences()


def save_preferences(likes: Preferences, environment: Mapping[str, str] = os.environ) -> None:
    """Write it down; where that cannot be done, it is forgotten."""
    with suppress(OSError, RuntimeError):
        folder = _folder(environment)
        folder.mkdir(parents=True, exist_ok=True)
        fresh = folder / f"{_FILE}.{os.getpid()}"
        fresh.write_bytes(msgspec.json.encode(likes))
        fresh.replace(folder / _FILE)


def _folder(environment: Mapping[str, str]) -> Path:
    """Name the folder for settings of this user. Raises RuntimeError where nobody is at home."""
    wish = Path(environment.get("XDG_CONFIG_HOME") or environment.get("APPDATA") or "")
    return (wish if wish.is_absolute() else Path.home() / ".config") / "scoville"
