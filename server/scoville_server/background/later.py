"""Something that is done later: what `loop.call_later` promises, for tests to replace."""

from collections.abc import Callable
from typing import Protocol


class Alarm(Protocol):
    """Something that will be done later."""

    def cancel(self) -> None:
        """Let it not be done."""


Later = Callable[[float, Callable[[], None]], Alarm]
"""Does something after so many seconds."""
