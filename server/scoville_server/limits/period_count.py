"""Count of what one connection may do a few times in a period, and no client needs."""


class PeriodCount:
    """Counts up to `most` in periods of so many `seconds`, each of which begins with the first that is counted."""

    __slots__ = ("_count", "_most", "_seconds", "_until")

    def __init__(self, most: int, seconds: float) -> None:
        self._most, self._seconds = most, seconds
        self._count, self._until = 0, 0.0

    def count_at(self, now: float) -> bool:
        """Count one at `now` (seconds); True if there are too many."""
        if now >= self._until:
            self._count, self._until = 0, now + self._seconds
        self._count += 1
        return self._count > self._most
