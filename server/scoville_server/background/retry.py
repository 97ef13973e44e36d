"""Exponential back-off of the server's own retries."""

from collections.abc import Callable

from msgspec import Struct

from scoville_runtime.back_off import BackOff


class RetryLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Waits before the server repeats a write that the disk has refused."""

    first_seconds: float = 1.0
    """The wait after the first failure: a disk that was busy for a moment delays nobody for longer."""
    longest_seconds: float = 60.0
    """Each failure in a row doubles the wait up to this. A full disk is not written every second, and a minute after
    there is space again everything continues."""


def retry_delay(chance: Callable[[], float], limits: RetryLimits | None = None) -> BackOff:
    """Return the waits between retries, shortened at random by up to a quarter: a thousand tables may fail at once."""
    limits = limits or RetryLimits()
    return BackOff(limits.first_seconds, limits.longest_seconds, chance, 0.25)
