"""Dates of a club: added and removed by leaders, reminded of once, and moved by a week where they are weekly."""

from typing import Final

from msgspec.structs import replace

from scoville_runtime.local_time import add_local_days
from scoville_server.clubs.model.club import Club, Date, check_leader
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId

MOST_DATES: Final = 10
REMIND_MS: Final = 600_000
"""How long before a date its members are reminded, in milliseconds."""
SHOWN_MS: Final = 7_200_000
"""How long after its start a date is still listed, in milliseconds: latecomers find it."""
WEEK_MS: Final = 7 * 86_400_000


def add_date(club: Club, by: UserId, date_id: str, date: Date) -> Club:
    """Add a date. Raises ScovilleError `not_leader`, `club_closed`, `club_full`."""
    check_leader(club, by)
    if len(club.dates) >= MOST_DATES:
        sentence = f"The club has {MOST_DATES} dates, the most allowed; remove one first."
        raise ScovilleError(Code.CLUB_FULL, sentence, {"why": "dates", "most": MOST_DATES})
    return replace(club, dates={**club.dates, date_id: date})


def remove_date(club: Club, by: UserId, date_id: str) -> Club:
    """Remove a date, if it is there. Raises ScovilleError `not_leader`, `club_closed`."""
    check_leader(club, by)
    return replace(club, dates={key: date for key, date in club.dates.items() if key != date_id})


def list_dues(club: Club) -> list[int]:
    """List when something is due: a reminder, or the end of a date."""
    if not club.is_open:
        return []
    return [date.starts_ms + SHOWN_MS if date.reminded else date.starts_ms - REMIND_MS for date in club.dates.values()]


def _find_next(date: Date, now_ms: int) -> int:
    """Find the next start of a weekly date that is not over, at the hour of its first one by local time."""
    # Counted from the first date: after a day on which the clocks skip its hour it is at that hour again.
    first = date.first_ms or date.starts_ms
    weeks = (now_ms - SHOWN_MS - first) // WEEK_MS
    while (starts_ms := add_local_days(first, 7 * weeks, date.zone)) + SHOWN_MS <= now_ms:
        weeks += 1
    return starts_ms


def advance_dates(club: Club, now_ms: int) -> tuple[Club, list[str]]:
    """Do everything that is due at a time; returns the club, and the ids of the dates to remind its members of now.

    A date that was over while the server was off is reminded of no more. A weekly one moves to its next week.
    """
    if not club.is_open:
        return club, []
    dates: dict[str, Date] = {}
    due: list[str] = []
    for date_id, kept in club.dates.items():
        date = kept
        if now_ms >= date.starts_ms + SHOWN_MS:
            if not date.weekly:
                continue
            date = replace(date, starts_ms=_find_next(date, now_ms), reminded=False)
        if now_ms >= date.starts_ms - REMIND_MS and not date.reminded:
            # Written first: after a crash nobody is reminded twice.
            date = replace(date, reminded=True)
            due.append(date_id)
        dates[date_id] = date
    return (club, []) if dates == club.dates else (replace(club, dates=dates), due)
