"""A painting with a clock in it: drawn again whenever the clock shows another number."""

from time import monotonic

from textual.timer import Timer

from scoville_client.widgets.painting import Painting


class Ticking(Painting):
    """Subclasses say when what they show changes by time alone."""

    _second: Timer | None = None

    @staticmethod
    def now() -> float:
        """Tell the time by which clocks are shown, in seconds (monotonic)."""
        return monotonic()

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
            self._second.stop()
        seconds = self.changes_in() if self.is_attached else None
        self._second = None if seconds is None else self.set_timer(seconds, self.repaint)
