"""The server's clocks: the wall time, which may jump, and monotonic seconds."""

import time
from collections.abc import Callable


def date_ms() -> int:
    """Return the system's wall time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Clock:
    """The source of all time in a server.

    Args:
        date_ms: Wall time in milliseconds since 1970; jumps when the system's clock is set.
        seconds: Monotonic seconds from any start; they stop while the machine sleeps.
    """

    def __init__(self, date_ms: Callable[[], int] = date_ms, seconds: Callable[[], float] = time.monotonic) -> None:
        self.date_ms = date_ms
        self.seconds = seconds

    def steady(self, not_before_ms: int = 0) -> Callable[[], int]:
        """Return a clock for thinking time: the wall time now, then milliseconds that advance evenly.

        It starts at `not_before_ms` if the system's clock is behind that: a table's time never goes back.
        """
        begun = self.seconds()
        start_ms = max(self.date_ms(), not_before_ms)
        return lambda: start_ms + int((self.seconds() - begun) * 1000)
