"""User preferences, stored in a small file; without it the defaults apply."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

_FILE = "client.json"
_LONGEST = 4096
"""Bytes of the file that are read; this client writes far fewer."""


class Preferences(Struct, frozen=True):
    """Light theme, reduced motion, and which notifications are on: bell, window title, chat."""

    light: bool = False
    calm: bool = False
    bell: bool = True
    title: bool = True
    chat_lines: bool = True


def load_preferences(environment: Mapping[str, str] = os.environ) -> Preferences:
    """Read the stored preferences; defaults if there are none or the file is unreadable."""
    try:
        with (_folder(environment) / _FILE).open("rb") as file:
            return msgspec.json.decode(file.read(_LONGEST), type=Preferences)
    except (OSError, RuntimeError, msgspec.MsgspecError, UnicodeDecodeError):
        return Preferences()


def save_preferences(likes: Preferences, environment: Mapping[str, str] = os.environ) -> None:
    """Store the preferences; a failure to write is ignored."""
    with suppress(OSError, RuntimeError):
        folder = _folder(environment)
        folder.mkdir(parents=True, exist_ok=True)
        fresh = folder / f"{_FILE}.{os.getpid()}"
        fresh.write_bytes(msgspec.json.encode(likes))
        fresh.replace(folder / _FILE)


def _folder(environment: Mapping[str, str]) -> Path:
    """Return the settings folder of this user. Raises RuntimeError without a home folder."""
    chosen = Path(environment.get("XDG_CONFIG_HOME") or environment.get("APPDATA") or "")
    return (chosen if chosen.is_absolute() else Path.home() / ".config") / "scoville"
