"""Autoplay of a replay: steps at a speed that the user changes."""

from collections.abc import Callable
from typing import Final

from textual.widget import Widget

from scoville_client.tui.screens.replay.replay_bar import ReplayBar
from scoville_client.tui.widgets.timers import call_after
from scoville_runtime.clock import Alarm

_SLOWEST: Final = 0.25
_FASTEST: Final = 8.0


class Autoplay:
    """Calls `step` every `pace` seconds, divided by the speed that `bar` shows, on the clock of a widget's app."""

    def __init__(self, widget: Widget, bar: ReplayBar, pace: float, step: Callable[[], None]) -> None:
        self._widget = widget
        self._bar = bar
        self._pace = pace
        self._step = step
        self._timer: Alarm | None = None

    @property
    def running(self) -> bool:
        """Whether it runs."""
        return self._timer is not None

    @property
    def step_seconds(self) -> float:
        """The seconds of a step at the present speed."""
        return self._pace / self._bar.speed

    def play(self) -> None:
        """Start."""
        self._schedule()
        self._show()

    def stop(self) -> None:
        """Stop, if it runs."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._show()

    def change_speed(self, factor: float) -> None:
        """Multiply the speed, within its bounds."""
        self._bar.speed = max(_SLOWEST, min(self._bar.speed * factor, _FASTEST))
        self._bar.repaint()
        if self.running:
            self.stop()
            self.play()

    def _schedule(self) -> None:
        self._timer = call_after(self._widget, self.step_seconds, self._tick)

    def _tick(self) -> None:
        if self.running:  # else it was stopped while the tick was queued
            self._schedule()
            self._step()

    def _show(self) -> None:
        self._bar.running = self.running
        self._bar.repaint()
