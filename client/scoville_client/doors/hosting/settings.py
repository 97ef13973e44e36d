"""Settings of hosted users, which the server keeps with them."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from scoville_client.clock import Clock, Handle
from scoville_client.i18n.language import LANGUAGES
from scoville_client.session.preferences import Preferences

SAVE_SECONDS: Final = 2.0
"""Seconds after the last change until settings are saved."""


class DelayedSave:
    """Saves once the user has stopped to change settings: the server takes few requests a minute."""

    def __init__(self, clock: Clock, save: Callable[[], object]) -> None:
        self._clock = clock
        self._save = save
        self._waiting: Handle | None = None

    def soon(self) -> None:
        """Save SAVE_SECONDS after the last call."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = self._clock.call_later(SAVE_SECONDS, self._save)


class HostedSettings(Struct, frozen=True):
    """What a user has chosen in the settings, and the language they have chosen; empty for that of their terminal."""

    preferences: Preferences = Preferences()
    language: str = ""

    @classmethod
    def read(cls, saved: Mapping[str, Any]) -> "HostedSettings":
        """Read settings that the server has kept, perhaps for another version; defaults where they do not fit."""
        try:
            settings = msgspec.convert(saved, cls)
        except msgspec.ValidationError:
            return cls()
        return settings if settings.language in LANGUAGES else cls(settings.preferences)

    def as_map(self) -> dict[str, Any]:
        """Return what the server keeps."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain
