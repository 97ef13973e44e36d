"""Exponential back-off for everything that the server retries by itself."""

from collections.abc import Callable
from random import random

from msgspec import Struct


class RetryLimits(Struct, frozen=True, kw_only=True):
    """Waits before the server repeats a write that the disk has refused, with their reasons.

    - `first_seconds`: the wait after the first failure: a disk that was busy for a moment costs nobody more.
    - `longest_seconds`: each failure in a row doubles the wait up to this. A full disk is not written every second,
      and a minute after there is space again everything continues.
    """

    first_seconds: float = 1.0
    longest_seconds: float = 60.0


class RetryDelay:
    """The waits between retries: doubled after each failure, shortened at random by up to a quarter.

    The randomness keeps a thousand tables that failed at the same instant from retrying at the same instant.
    """

    def __init__(self, limits: RetryLimits | None = None, chance: Callable[[], float] = random) -> None:
        self._limits = limits or RetryLimits()
        self._chance = chance
        self._longest = self._limits.first_seconds

    def next(self) -> float:
        """Return the seconds to wait before the next retry."""
        wait = self._longest * (1 - self._chance() / 4)
        self._longest = min(2 * self._longest, self._limits.longest_seconds)
        return wait

    def reset(self) -> None:
        """Start with the shortest wait again, after a success."""
        self._longest = self._limits.first_seconds
