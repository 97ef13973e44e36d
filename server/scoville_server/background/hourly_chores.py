"""What a server does once an hour."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from scoville_runtime.clock import Alarm, Clock
from scoville_server.background.tasks import BackgroundTasks

HOUR_SECONDS = 3_600.0
"""Seconds between two removals of expired tokens, which expire after days, and between looks for due digests."""


class HourlyChores:
    """What is done once an hour: the removal of what has expired, and digests."""

    def __init__(
        self, chores: Sequence[Callable[[], Coroutine[Any, Any, None]]], background: BackgroundTasks, clock: Clock
    ) -> None:
        self._chores = chores
        self._background = background
        self._call_later = clock.call_later
        self._alarm: Alarm | None = None

    def schedule_chores(self) -> None:
        """Schedule the next time."""
        self._alarm = self._call_later(HOUR_SECONDS, self._do_chores)

    def stop_chores(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()

    def _do_chores(self) -> None:
        for chore in self._chores:
            self._background.write_soon(chore())
        self.schedule_chores()
