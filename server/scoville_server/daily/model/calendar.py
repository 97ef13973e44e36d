"""The calendar of daily deals: which day it is for the server, how long its deal is open, and streaks."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Final, NamedTuple

from msgspec import Meta, Struct

DAY_MS: Final = 86_400_000
OPEN_MS: Final = 36 * 3_600_000
"""Milliseconds for which a deal can be played: who flies west or sleeps late still has the whole of a day."""

FREE_DAYS: Final = 2
"""Days of a month that may be missed without an end of the streak."""

SUNDAY: Final = 6

Span = tuple[int, int]
"""Days in a row: the first and the last one."""


class DailySettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the daily deal."""

    enabled: Annotated[
        bool,
        Meta(description="Whether there is a daily deal: one game a day for each user, the same cards for everybody."),
    ] = True
    start_hour: Annotated[
        int,
        Meta(ge=0, le=23, description="Hour in UTC at which a day of the daily deal begins; best at night."),
    ] = 4


class Calendar(NamedTuple):
    """Days of a server, counted since 1970-01-01; each begins at an hour of UTC."""

    start_hour: int = 0

    def find_day(self, now_ms: int) -> int:
        """Return the day at a time, in milliseconds since 1970."""
        return (now_ms - self._offset_ms) // DAY_MS

    def begins_ms(self, day: int) -> int:
        """Return when a day begins, in milliseconds since 1970."""
        return day * DAY_MS + self._offset_ms

    def closes_ms(self, day: int) -> int:
        """Return when the deal of a day can be played no longer, in milliseconds since 1970."""
        return self.begins_ms(day) + OPEN_MS

    @property
    def _offset_ms(self) -> int:
        return self.start_hour * 3_600_000


def date_of(day: int) -> date:
    """Return the date of a day."""
    return datetime.fromtimestamp(day * DAY_MS // 1000, UTC).date()


def weekday_of(day: int) -> int:
    """Return the weekday of a day: 0 is Monday."""
    return date_of(day).weekday()


class Streak(NamedTuple):
    """Days in a row with a finished deal, the longest such row, and the free days that are left this month."""

    days: int
    longest: int
    free_days_left: int


def count_streak(played: Iterable[Span], offered: Iterable[int], today: int, open_days: Collection[int]) -> Streak:
    """Count a streak.

    Args:
        played: The days on which the user has finished the deal.
        offered: The days on which the server had a deal, oldest first: no others can end a streak.
        today: The present day.
        open_days: The days whose deals can still be played: they end no streak yet.
    """
    days = {day for first, last in played for day in range(first, last + 1)}
    used: Counter[tuple[int, int]] = Counter()
    streak = longest = 0
    for day in offered:
        if day in days:
            streak += 1
            longest = max(longest, streak)
        elif streak and day not in open_days:
            used[_month_of(day)] += 1
            streak = streak if used[_month_of(day)] <= FREE_DAYS else 0
    return Streak(streak, longest, max(0, FREE_DAYS - used[_month_of(today)]))


def with_day(played: Sequence[Span], day: int) -> tuple[Span, ...]:
    """Add a day to days in a row."""
    days = {each for first, last in played for each in range(first, last + 1)} | {day}
    spans: list[Span] = []
    for each in sorted(days):
        if spans and spans[-1][1] == each - 1:
            spans[-1] = (spans[-1][0], each)
        else:
            spans.append((each, each))
    return tuple(spans)


def _month_of(day: int) -> tuple[int, int]:
    on = date_of(day)
    return on.year, on.month
