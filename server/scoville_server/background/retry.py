"""Exponential back-off for everything that the server tries again by itself."""

from collections.abc import Callable
from random import random

from msgspec import Struct


class RetryLimits(Struct, frozen=True, kw_only=True):
    """How long the server waits before it repeats what the disk has refused, and why.

    - `first_seconds`: the wait after the first failure: a disk that was busy for a moment costs nobody more.
    - `longest_seconds`: each failure in a row doubles the wait up to this. A full disk is not written every second,
      and a minute after there is room again everything goes on.
    """

    first_seconds: float = 1.0
    longest_seconds: float = 60.0


class RetryDelay:
    """The waits between the tries of one thing: doubled after each failure, shortened by up to a quarter by chance.

    The chance keeps a thousand tables that failed at the same instant from trying again at the same instant.
    """

    def __init__(self, limits: RetryLimits | None = None, chance: Callable[[], float] = random) -> None:
        self._limits = limits or RetryLimits()
        self._chance = chance
        self._longest = self._limits.first_seconds

    def next(self) -> float:
        """Returns the seconds to wait before the next try."""
        wait = self._longest * (1 - self._chance() / 4)
        self._longest = min(2 * self._longest, self._limits.longest_seconds)
        return wait

    def reset(self) -> None:
        """Begin with the shortest wait again: the last try succeeded."""
        self._longest = self._limits.first_seconds
