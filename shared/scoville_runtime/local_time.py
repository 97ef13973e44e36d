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
    """
    known = find_zone(zone) or UTC
    local = datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(known)
    later = (local + timedelta(days=days)).replace(fold=0)
    return round(later.timestamp() * 1000)
