"""Time of the thinking processes: seconds, and timers of the pool that starts them; tests inject their own.

The only module below `shared/` that reads the time; `tests/architecture` checks this.
"""

import time
from collections.abc import Callable
from threading import Timer
from typing import NamedTuple, Protocol


class Alarm(Protocol):
    """A timer that has been set."""

    def cancel(self) -> None:
        """Cancel the timer; its callback is not called."""


def _call_later(seconds: float, callback: Callable[[], object]) -> Alarm:
    timer = Timer(seconds, callback)
    timer.daemon = True
    timer.start()
    return timer


class Clock(NamedTuple):
    """Time as functions.

    Attributes:
        seconds: Returns seconds from any start, which never go back.
        call_later: Calls a function after some seconds, in a thread of its own, unless its alarm is cancelled before.
    """

    seconds: Callable[[], float] = time.perf_counter
    call_later: Callable[[float, Callable[[], object]], Alarm] = _call_later


REAL = Clock()
"""The computer's own time."""
