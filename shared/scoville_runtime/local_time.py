"""Local time in the time zones of the IANA database, which a machine may lack."""

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

UTC_ZONE: Final = "UTC"


def find_zone(name: str) -> tzinfo | None:
    """Find a time zone such as `Europe/Berlin`; None for one that this machine does not know."""
    # There also without a database, as on Windows.
    if name == UTC_ZONE:
        return UTC
    from zoneinfo import ZoneInfo  # slow to load, and seldom needed

    try:
        return ZoneInfo(name)
    # A name may be a path, or a folder of the database.
    except (OSError, ValueError, KeyError):
        return None


def add_local_days(at_ms: int, days: int, zone: str) -> int:
    """Return when local clocks show the same time some days later (milliseconds since 1970).

    Of a time that comes twice it is the first; one that the clocks skip is as much later as they are set forward. In a
    zone that this machine does not know, local time is that of UTC.

    A day from noon to noon has 25 hours when the clocks are set back in between.

    >>> noon_ms = 1_792_836_000_000  # 24 October 2026, 12:00 in Berlin
    >>> (add_local_days(noon_ms, 1, "Europe/Berlin") - noon_ms) / 3_600_000
    25.0
    """
    known = find_zone(zone) or UTC
    local = datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(known)
    later = (local + timedelta(days=days)).replace(fold=0)
    return round(later.timestamp() * 1000)
