"""Loop lag: how late the event loop runs its timers, which is how long everybody waits at least."""

from collections.abc import Callable
from typing import Final

from scoville_runtime.clock import Alarm, Clock
from scoville_runtime.figures import Durations

TICK_SECONDS: Final = 0.25
"""Seconds between two looks: often enough to see what holds the loop up, too rare to cost anything."""


class LoopLag:
    """Measures the lag four times a second, and calls `each_tick` with the time (monotonic seconds).

    `ticked_at` is when the loop ran last.
    """

    def __init__(self, clock: Clock, each_tick: Callable[[float], None] = lambda _: None) -> None:
        self._clock = clock
        self._each_tick = each_tick
        self._due = 0.0
        self._alarm: Alarm | None = None
        self.durations = Durations()
        self.ticked_at = clock.seconds()

    def start_ticking(self) -> None:
        """Begin to measure, on the running event loop."""
        self.ticked_at = self._clock.seconds()
        self._schedule_tick(self.ticked_at)

    def stop_ticking(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _schedule_tick(self, now: float) -> None:
        self._due = now + TICK_SECONDS
        self._alarm = self._clock.call_later(TICK_SECONDS, self._tick)

    def _tick(self) -> None:
        now = self.ticked_at = self._clock.seconds()
        self.durations.add_duration(max(0.0, now - self._due), now)
        self._each_tick(now)
        self._schedule_tick(now)
