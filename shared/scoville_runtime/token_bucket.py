"""Token bucket: how much of something one holder may use at once, and how much more each second."""

import math
from typing import Final, Protocol, TypeVar

_MOST_KEYS: Final = 4_096
"""Keys that are remembered; beyond it those whose buckets are full are forgotten."""


class TokenBucket:
    """Up to `most` tokens; `rate` of them come back in a second. It may be in debt.

    Two other counters look alike and stay apart. `Throttle` counts whole uses of thousands of keys and forgets those
    that have decayed; the server's `Meter` is charged for each read, and keeps one time that it compares, because a
    bucket would cost as much as the rest of a short read.
    """

    __slots__ = ("_at", "_most", "_rate", "_tokens")

    def __init__(self, most: float, rate: float, now: float) -> None:
        self._most = self._tokens = most
        self._rate = rate
        self._at = now

    def count_tokens(self, now: float) -> float:
        """Return what is left at `now` (seconds); negative for a debt."""
        passed = now - self._at
        # Some clocks step back; a bucket is not refilled twice for the same time then.
        if passed > 0:
            self._tokens = min(self._most, self._tokens + passed * self._rate)
            self._at = now
        return self._tokens

    def is_full(self, now: float) -> bool:
        """Return whether nothing was taken lately."""
        return self.count_tokens(now) >= self._most

    def take_tokens(self, cost: float, now: float) -> None:
        """Take tokens, also more than there are."""
        self._tokens = self.count_tokens(now) - cost

    def take_if_enough(self, cost: float, now: float) -> bool:
        """Take tokens if there are so many; return whether there were."""
        if self.count_tokens(now) < cost:
            return False
        self._tokens -= cost
        return True

    def seconds_in_debt(self, now: float) -> float:
        """Return the seconds until a debt is paid; 0 without one."""
        return max(0.0, -self.count_tokens(now) / self._rate)


def bucket_of(times: int, seconds: float, now: float) -> TokenBucket:
    """Return the bucket of a rate: so many times at once, and as often again in so many seconds."""
    # A setting of 0 seconds means that nothing is counted.
    return TokenBucket(times, times / seconds, now) if seconds else TokenBucket(math.inf, 1, now)


class Refilling(Protocol):
    """An allowance that comes back with time."""

    def is_full(self, now: float) -> bool:
        """Return whether nothing was taken lately."""


K = TypeVar("K")
R = TypeVar("R", bound=Refilling)


def forget_full(by_key: dict[K, R], most: int, now: float) -> dict[K, R]:
    """Return the buckets to remember before one more key comes: of `most` keys those that have used something lately.

    A full allowance is like a new one, so that nothing is lost with it.
    """
    return by_key if len(by_key) < most else {key: each for key, each in by_key.items() if not each.is_full(now)}


class BucketsByKey:
    """A bucket for each key, such as a network."""

    def __init__(self, most: float, rate: float) -> None:
        self._most = most
        self._rate = rate
        self._buckets: dict[str, TokenBucket] = {}

    def find_bucket(self, key: str, now: float) -> TokenBucket:
        """Return the bucket of a key, a full one for a new key."""
        bucket = self._buckets.get(key)
        if bucket is None:
            self._buckets = forget_full(self._buckets, _MOST_KEYS, now)
            bucket = self._buckets[key] = TokenBucket(self._most, self._rate, now)
        return bucket
