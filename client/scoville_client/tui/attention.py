"""Attention: whether the user looks at the client, so that what nobody sees is not asked of a server."""

from collections.abc import Callable
from typing import Final

AWAY_SECONDS: Final = 300.0
"""Seconds without a key after which the user counts as away: not every terminal says which window is in front."""


class Attention:
    """Whether the window is in front, as far as the terminal says, and was used lately.

    Args:
        now: Returns monotonic seconds.
        on_return: Called when the user looks again.
    """

    def __init__(self, now: Callable[[], float], on_return: Callable[[], object]) -> None:
        self._now = now
        self._on_return = on_return
        self._used_at = now()
        self._is_in_front = True

    @property
    def is_given(self) -> bool:
        """Whether the user looks at the client, as far as it can be known."""
        return self._is_in_front and self._now() - self._used_at < AWAY_SECONDS

    def note_focus(self, *, focused: bool) -> None:
        """Note whether the window is in front."""
        if focused:
            self.note_use()
        else:
            self._is_in_front = False

    def note_use(self) -> None:
        """Note that the user does something here."""
        was_given = self.is_given
        self._used_at, self._is_in_front = self._now(), True
        if not was_given:
            self._on_return()
