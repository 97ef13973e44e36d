"""A painting with a clock in it: drawn again whenever the clock shows another number."""

from scoville_client.clock import Handle
from scoville_client.tui.widgets.painting import Painting
from scoville_client.tui.widgets.timers import call_after, clock_of


class Ticking(Painting):
    """Subclasses say when what they show changes by time alone."""

    _second: Handle | None = None

    def now(self) -> float:
        """The time by which clocks are shown, in seconds (monotonic)."""
        return clock_of(self).now()

    def changes_in(self) -> float | None:
        """Say in how many seconds the clock shows another number; None while none runs."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Follow the clock from the beginning."""
        self._wind()

    def repaint(self) -> None:
        """Draw again; where a clock runs, once more when it shows another number."""
        super().repaint()
        self._wind()

    def _wind(self) -> None:
        if self._second is not None:
            self._second.cancel()
        seconds = self.changes_in() if self.is_attached else None
        self._second = None if seconds is None else call_after(self, seconds, self.repaint)
