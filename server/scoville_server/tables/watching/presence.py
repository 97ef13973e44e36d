"""Presence notices of a table, batched so that no user can flood the others with them."""

from collections import Counter
from collections.abc import Callable
from typing import Final

from scoville_server.clock import Alarm, CallLater
from scoville_shared.ids import UserId

AT_ONCE: Final = 4
"""Changes of one user that are sent at once: enough for two reconnects."""

SECONDS: Final = 0.5
"""Seconds for which further changes are batched; a flapping connection causes two notices a second."""

Tell = Callable[[UserId, bool], None]
"""Callback: a user, and whether they are connected."""


class PresenceFeed:
    """Reports at once that a user connected or disconnected; of very many changes only the latest."""

    def __init__(self, tell: Tell, later: CallLater) -> None:
        self._tell = tell
        self._later = later
        self._changed: dict[UserId, bool] = {}
        self._told: Counter[UserId] = Counter()
        self._alarm: Alarm | None = None

    def changed(self, user: UserId, connected: bool) -> None:
        """Report a change."""
        if self._told[user] < AT_ONCE:
            self._told[user] += 1
            self._tell(user, connected)
        else:
            self._changed[user] = connected
        if self._alarm is None:
            self._alarm = self._later(SECONDS, self._flush)

    def close(self) -> None:
        """Stop all reports and drop the callback, for good: it refers to the table, which a cycle would keep."""
        if self._alarm is not None:
            self._alarm.cancel()
        del self._tell

    def _flush(self) -> None:
        self._alarm = None
        changed, self._changed = self._changed, {}
        if changed:
            self._alarm = self._later(SECONDS, self._flush)
        else:
            self._told.clear()
        for user, connected in changed.items():
            self._tell(user, connected)
