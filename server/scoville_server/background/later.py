"""Timers: the interface of `loop.call_later`, which tests replace."""

from collections.abc import Callable
from typing import Protocol


class Alarm(Protocol):
    """A timer that has been set."""

    def cancel(self) -> None:
        """Cancel the timer."""


Later = Callable[[float, Callable[[], None]], Alarm]
"""Calls a function after so many seconds."""
