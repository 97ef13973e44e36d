"""Shares: how many of something each address has, and how many there are."""

from collections import Counter


class Shares:
    """Counts up to `most`, and up to `each` for one key."""

    def __init__(self, most: int, each: int) -> None:
        self._most = most
        self._each = each
        self._taken: Counter[str] = Counter()
        self.total = 0

    def take(self, key: str | None) -> bool:
        """Take one; without a key only the total counts. Returns False when there is none left."""
        if self.total >= self._most or (key is not None and self._taken[key] >= self._each):
            return False
        self.total += 1
        if key is not None:
            self._taken[key] += 1
        return True

    def give_back(self, key: str | None) -> None:
        """Give back what was taken with this key."""
        self.total -= 1
        if key is not None:
            self._taken[key] -= 1
            if not self._taken[key]:
                del self._taken[key]


class Rate:
    """Counts events of each key in periods of a minute. `now` returns seconds."""

    def __init__(self, each: int) -> None:
        self._each = each
        self._minute = 0
        self._counts: Counter[str] = Counter()

    def allows(self, key: str, now: float) -> bool:
        """Count an event; returns False when there were too many in this minute."""
        minute = int(now // 60)
        if minute != self._minute:
            self._minute = minute
            self._counts.clear()
        self._counts[key] += 1
        return self._counts[key] <= self._each
