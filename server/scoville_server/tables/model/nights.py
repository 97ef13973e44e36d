"""Nights of a table: hours in which no clock runs, as pure arithmetic in milliseconds since 1970."""

from collections.abc import Iterator
from itertools import count
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from scoville_shared.protocol.messages import DAY_MS, Night

ZoneOffsets = tuple[tuple[int, int], ...]
"""From when on (milliseconds since 1970) local time is so many milliseconds ahead of UTC; the first one is for all
time before, too."""

_HOUR_MS: Final = 3_600_000


class Nights(Struct, frozen=True):
    """The nights of a table: from the hour `begins` to the hour `ends` by local time, which `offsets` give.

    The offsets stand in the table's record. A night lasts an hour more or less when the clocks are changed in it.
    """

    begins: int
    ends: int
    offsets: ZoneOffsets

    def count_awake_ms(self, since_ms: int, until_ms: int) -> int:
        """Count the milliseconds between two times that belong to no night."""
        asleep = 0
        for begins, ends in self._iterate_from(since_ms):
            if begins >= until_ms:
                break
            asleep += max(0, min(ends, until_ms) - max(begins, since_ms))
        return max(0, until_ms - since_ms) - asleep

    def add_awake_ms(self, since_ms: int, awake_ms: int) -> int:
        """Return when so many milliseconds outside nights have passed since a time."""
        now, left = since_ms, awake_ms
        for begins, ends in self._iterate_from(since_ms):
            before = max(0, begins - now)
            if left <= before:
                break
            left -= before
            now = max(now, ends)
        return now + left

    def _iterate_from(self, since_ms: int) -> Iterator[tuple[int, int]]:
        """Iterate over the nights that end after a time, in their order."""
        # From the day before: its night may not be over.
        first = (since_ms + self._offset_at(since_ms)) // DAY_MS - 1
        over_midnight = self.ends <= self.begins
        for day in count(first):
            begins = self._find_utc(day * DAY_MS + self.begins * _HOUR_MS)
            ends = self._find_utc((day + over_midnight) * DAY_MS + self.ends * _HOUR_MS)
            if ends > since_ms:
                yield begins, ends

    def _find_utc(self, local_ms: int) -> int:
        """Return when a local clock shows a time: the first time for one that comes twice.

        For a time that the clocks skip, return when they would show it if they had not been changed yet.
        """
        before = local_ms - self._offset_at(local_ms - DAY_MS)
        found = local_ms - self._offset_at(before)
        return found if found + self._offset_at(found) == local_ms else before

    def _offset_at(self, at_ms: int) -> int:
        ahead = self.offsets[0][1]
        for since, offset in self.offsets:
            if since > at_ms:
                break
            ahead = offset
        return ahead


def nights_of(night: Night | UnsetType, offsets: ZoneOffsets | UnsetType) -> Nights | None:
    """Return the nights of a table with these settings; None for a table without."""
    if night is UNSET or offsets is UNSET:
        return None
    return Nights(night.begins, night.ends, offsets)
