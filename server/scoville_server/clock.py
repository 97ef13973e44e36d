"""The server's clocks: the date, which somebody may set, and seconds that pass evenly."""

import time
from collections.abc import Callable


def date_ms() -> int:
    """Milliseconds since 1970, as the system's clock says now."""
    return time.time_ns() // 1_000_000


class Clock:
    """All time of a server comes from here.

    Args:
        date_ms: milliseconds since 1970; jumps when the system's clock is set.
        seconds: seconds from any start; passes evenly, and stands still while the machine sleeps.
    """

    def __init__(self, date_ms: Callable[[], int] = date_ms, seconds: Callable[[], float] = time.monotonic) -> None:
        self.date_ms = date_ms
        self.seconds = seconds

    def steady(self, not_before_ms: int = 0) -> Callable[[], int]:
        """Make a clock for thinking time: the date now, and from then on milliseconds that pass evenly.

        It starts at `not_before_ms` when the system's clock is behind that: a table's time never goes back.
        """
        begun = self.seconds()
        start_ms = max(self.date_ms(), not_before_ms)
        return lambda: start_ms + int((self.seconds() - begun) * 1000)
