"""Exponential back-off of the server's own retries."""

from collections.abc import Callable
from typing import Annotated

from msgspec import Meta, Struct

from scoville_server.limits.bounds import Wait


class RetryLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Waits before the server repeats a write that the disk has refused; the descriptions give the reasons."""

    first_seconds: Annotated[
        Wait,
        Meta(
            description="The wait after the first failure: a disk that was busy for a moment delays nobody for longer."
        ),
    ] = 1.0
    longest_seconds: Annotated[
        Wait,
        Meta(
            description="Each failure in a row doubles the wait up to this. A full disk is not written every second, "
            "and a minute after there is space again everything continues."
        ),
    ] = 60.0


class RetryDelay:
    """The waits between retries: doubled after each failure, shortened at random by up to a quarter.

    `chance` returns a number from 0 to 1; it keeps a thousand tables that failed at the same instant from retrying at
    the same instant.
    """

    def __init__(self, chance: Callable[[], float], limits: RetryLimits | None = None) -> None:
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
