"""Settings of hosted users, which the server keeps with them."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from scoville_client.settings.preferences import Preferences
from scoville_runtime.clock import Alarm, Clock

SAVE_SECONDS: Final = 2.0
"""Seconds after the last change until settings are saved."""


class DelayedSave:
    """Saves once the user has stopped to change settings: the server takes few requests a minute."""

    def __init__(self, clock: Clock, save: Callable[[], object]) -> None:
        self._clock = clock
        self._save = save
        self._waiting: Alarm | None = None

    def save_soon(self) -> None:
        """Save SAVE_SECONDS after the last call."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = self._clock.call_later(SAVE_SECONDS, self._save)


def read_settings(saved: Mapping[str, Any]) -> Preferences:
    """Read settings that the server has kept, perhaps for another version; defaults where they do not fit."""
    try:
        return msgspec.convert(saved, Preferences)
    except msgspec.ValidationError:
        return Preferences()


def settings_map(preferences: Preferences) -> dict[str, Any]:
    """Return the settings that differ from the defaults: the server stores only these."""
    plain: dict[str, Any] = msgspec.to_builtins(preferences)
    return plain
