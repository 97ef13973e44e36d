"""Ticking widget: a canvas widget with a clock, repainted whenever the clock shows another number."""

from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.timers import call_after, clock_of
from scoville_runtime.clock import Alarm


class TickingWidget(CanvasWidget):
    """Subclasses return when their content changes without an event."""

    _clock_timer: Alarm | None = None

    def now(self) -> float:
        """The time in seconds (monotonic) for the clocks."""
        return clock_of(self).seconds()

    def changes_in(self) -> float | None:
        """Seconds until the clock shows another number; None while no clock runs."""
        raise NotImplementedError

    def on_mount(self) -> None:
        self._schedule_repaint()

    def repaint(self) -> None:
        """Draw again, and once more when the clock shows another number."""
        super().repaint()
        self._schedule_repaint()

    def _schedule_repaint(self) -> None:
        if self._clock_timer is not None:
            self._clock_timer.cancel()
        seconds = self.changes_in() if self.is_attached else None
        self._clock_timer = None if seconds is None else call_after(self, seconds, self.repaint)
