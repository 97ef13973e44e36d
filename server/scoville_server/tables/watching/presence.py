"""Presence notices of a table, batched so that no user can flood the others with them."""

from collections import Counter
from collections.abc import Callable
from typing import Final

from scoville_runtime.clock import Alarm, CallLater
from scoville_shared.ids import UserId

AT_ONCE: Final = 4
"""Changes of one user that are sent at once: enough for two reconnects."""

SECONDS: Final = 0.5
"""Seconds for which further changes are batched; a flapping connection causes two notices a second."""

Report = Callable[[UserId, bool], None]
"""Callback: a user, and whether they are connected."""


class PresenceFeed:
    """Reports at once that a user connected or disconnected; of very many changes only the latest."""

    def __init__(self, report: Report, later: CallLater) -> None:
        self._report = report
        self._later = later
        self._changed: dict[UserId, bool] = {}
        self._sent: Counter[UserId] = Counter()
        self._alarm: Alarm | None = None

    def changed(self, user: UserId, connected: bool) -> None:
        """Report a change."""
        if self._sent[user] < AT_ONCE:
            self._sent[user] += 1
            self._report(user, connected)
        else:
            self._changed[user] = connected
        if self._alarm is None:
            self._alarm = self._later(SECONDS, self._flush)

    def close(self) -> None:
        """Stop all reports and drop the callback, for good: it refers to the table, which a cycle would keep."""
        if self._alarm is not None:
            self._alarm.cancel()
        del self._report

    def _flush(self) -> None:
        self._alarm = None
        changed, self._changed = self._changed, {}
        if changed:
            self._alarm = self._later(SECONDS, self._flush)
        else:
            self._sent.clear()
        for user, connected in changed.items():
            self._report(user, connected)
