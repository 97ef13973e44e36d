"""Motion within a frame of a story: a few quick steps that change few cells each."""

from collections.abc import Callable

from textual.widget import Widget

from scoville_client.tui.widgets.timers import call_after
from scoville_runtime.clock import Alarm

STEPS = 8
SECONDS = 0.07
"""Steps of a motion, and the seconds of each: half a second together, so that nobody waits for it."""


class Motion:
    """Goes from 0 to 1 on the clock of a widget's app, and calls `changed` after each step."""

    def __init__(self, widget: Widget, changed: Callable[[], object], steps: int = STEPS) -> None:
        self._widget = widget
        self._changed = changed
        self._steps = self._done = steps
        self._timer: Alarm | None = None

    @property
    def progress(self) -> float:
        """How much of the motion is over: 0 at its beginning, 1 at its end and without a motion."""
        return self._done / self._steps

    @property
    def running(self) -> bool:
        """Whether something moves."""
        return self._done < self._steps

    def start(self) -> None:
        """Begin a motion."""
        self.stop()
        self._done = 0
        self._timer = call_after(self._widget, SECONDS, self._take_step)

    def stop(self) -> None:
        """Go to the end of the motion; the caller draws it."""
        self._done = self._steps
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _take_step(self) -> None:
        if not self.running:  # it was stopped while the step was queued
            return
        self._done += 1
        self._timer = call_after(self._widget, SECONDS, self._take_step) if self.running else None
        self._changed()


def number_between(start: int, end: int, progress: float) -> int:
    """Return the number on the way from `start` to `end`; the way slows down towards its end."""
    return end - round((end - start) * (1 - progress) ** 2)


def is_flashing(progress: float) -> bool:
    """Whether the flashing cells are highlighted now: three times in a motion, never at its end."""
    return progress < 1 and int(progress * STEPS) % 3 == 0
