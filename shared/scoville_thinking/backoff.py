"""Back-off for processes that fail: after each failure in a row none is started for twice as long."""

from collections.abc import Callable
from typing import Final

from scoville_runtime.back_off import BackOff

FIRST_SECONDS: Final = 1.0
"""The wait after one failure: long enough that failures cost little, short enough that few moves miss a search."""

LONGEST_SECONDS: Final = 60.0


class Backoff:
    """Says when a process may be started again.

    Args:
        now: Monotonic seconds.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._waits = BackOff(FIRST_SECONDS, LONGEST_SECONDS)
        self._until: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether a process may be started."""
        return self._until is None or self._now() >= self._until

    def note_failure(self) -> None:
        """Note that a process has died or could not be started. Several failures of one moment count once."""
        if self.is_over:
            self._until = self._now() + self._waits.next_wait()

    def note_success(self) -> None:
        """Note that a process has answered: the next failure is the first one again."""
        self._until = None
        self._waits.start_over()
