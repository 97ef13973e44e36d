"""Figures of a process: distributions of durations, and counts of the last minute, cheap enough for its hot paths."""

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import Final

BUCKETS: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1.0, 5.0)
"""Upper ends of the buckets, in seconds: dense around the goal that a move reaches the others within 20 ms."""

MINUTE: Final = 60.0
"""Seconds that count as lately."""
_LATEST: Final = 1_024
"""Durations remembered for quantiles: the 99th percentile needs some hundreds."""
_SLOTS: Final = 12
OTHERS: Final = "other"
"""The key of everything that is counted after `most` different keys."""


class Durations:
    """Distribution of durations: how many are in each bucket since the start, and the latest ones for quantiles.

    `counts` are those of the buckets of `BUCKETS`, and of longer ones. Used by one thread.
    """

    __slots__ = ("_latest", "counts", "total_seconds")

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.total_seconds = 0.0
        self._latest: deque[tuple[float, float]] = deque(maxlen=_LATEST)

    def add_duration(self, seconds: float, now: float) -> None:
        """Count a duration that ended at `now` (monotonic seconds)."""
        # By the left: a duration of exactly 1 ms is "at most 1 ms", as scrapers read an upper end.
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.total_seconds += seconds
        self._latest.append((now, seconds))

    @property
    def count(self) -> int:
        """How many there were since the start."""
        return sum(self.counts)

    def list_quantiles(self, now: float, *ratios: float) -> list[float]:
        """List quantiles (0 to 1) of the durations of the last minute, at most the latest thousand; 0 for none."""
        lately = sorted(seconds for ended, seconds in self._latest if now - ended <= MINUTE)
        if not lately:
            return [0.0] * len(ratios)
        return [lately[min(len(lately) - 1, int(len(lately) * ratio))] for ratio in ratios]


class RecentCounts:
    """Counts by key since the start, and of the last minute, to five seconds.

    Keys beyond `most` different ones are counted together as `OTHERS`: what users choose must not fill the memory.
    """

    __slots__ = ("_current", "_most", "_now", "_slots", "totals")

    def __init__(self, now: Callable[[], float], most: int = 256) -> None:
        self._now = now
        self._most = most
        self.totals: Counter[str] = Counter()
        self._slots: deque[Counter[str]] = deque([Counter() for _ in range(_SLOTS)], maxlen=_SLOTS)
        self._current = self._slot_of(now())

    def add_count(self, key: str, count: int = 1) -> None:
        """Count something now."""
        if key not in self.totals and len(self.totals) >= self._most:
            key = OTHERS
        self._turn_slots()
        self.totals[key] += count
        self._slots[-1][key] += count

    def count_recent(self) -> Mapping[str, int]:
        """Return the counts of the last minute by key, without those that are 0."""
        self._turn_slots()
        recent: Counter[str] = Counter()
        for slot in self._slots:
            recent.update(slot)
        return recent

    def _turn_slots(self) -> None:
        slot = self._slot_of(self._now())
        # After a quiet hour all slots are empty, however many have passed.
        for _ in range(min(slot - self._current, _SLOTS)):
            self._slots.append(Counter())
        self._current = slot

    @staticmethod
    def _slot_of(now: float) -> int:
        return int(now // (MINUTE / _SLOTS))


class NetworkCounts:
    """Counts of the last minute or two by network; only the networks of that time are remembered, at most `most`."""

    __slots__ = ("_before", "_began", "_most", "_now", "_present")

    def __init__(self, now: Callable[[], float], most: int = 4_096) -> None:
        self._now = now
        self._most = most
        self._began = now()
        self._present: Counter[str] = Counter()
        self._before: Counter[str] = Counter()

    def add_count(self, network: str) -> None:
        """Count something now."""
        self._turn_over()
        if network in self._present or len(self._present) < self._most:
            self._present[network] += 1

    def count_recent(self, network: str) -> int:
        """Return the count of the last minute; what lies before the present period is estimated."""
        self._turn_over()
        # As if the minute before had counted evenly: exact times of each would fill the memory that this is to save.
        share = 1 - min(1.0, (self._now() - self._began) / MINUTE)
        return self._present[network] + round(self._before[network] * share)

    def _turn_over(self) -> None:
        minutes = int((self._now() - self._began) // MINUTE)
        if minutes:
            self._before = self._present if minutes == 1 else Counter()
            self._present = Counter()
            self._began += minutes * MINUTE
