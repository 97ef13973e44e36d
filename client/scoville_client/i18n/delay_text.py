"""How long a server takes to answer, in words. The key bar needs it, which is there before anything of the protocol."""

from math import ceil
from typing import Final

SLOW_SECONDS: Final = 0.3
"""How long a server may take to answer before a user notices it."""
_STEPS_MS: Final = (10, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
"""Delays that are told apart, up to the last one; longer ones in seconds."""


def delay_text(seconds: float | None) -> str:
    """Format how long a server takes to answer, such as `20 ms`, rounded up to a step; empty for an unknown delay."""
    if seconds is None:
        return ""
    step = next((step for step in _STEPS_MS if 1000 * seconds <= step), None)
    return f"{ceil(seconds)} s" if step is None or step == _STEPS_MS[-1] else f"{step} ms"
