"""Token bucket: how much of something one holder may use at once, and how much more each second."""


class TokenBucket:
    """Up to `most` tokens, of which `rate` come back in a second. It may be in debt.

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
        # Some clocks step back; what was refilled once is not refilled again then.
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
