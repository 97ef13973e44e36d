"""Dates and times in this machine's time zone, in a format that all languages share."""

from datetime import datetime


def time_of_day(ms: int) -> str:
    """Format milliseconds since 1970 as hours and minutes."""
    return _local_time(ms).strftime("%H:%M")


def day_text(ms: int) -> str:
    """Format milliseconds since 1970 as a date."""
    return _local_time(ms).strftime("%Y-%m-%d")


def day_and_time(ms: int) -> str:
    """Format milliseconds since 1970 as a date and a time."""
    return _local_time(ms).strftime("%Y-%m-%d %H:%M")


def _local_time(ms: int) -> datetime:
    try:
        return datetime.fromtimestamp(ms / 1000)
    except (OverflowError, OSError, ValueError):
        return datetime.fromtimestamp(0)
