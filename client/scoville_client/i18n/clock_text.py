"""Thinking time and absence limits of a table, in words; dates and times in this machine's time zone."""

from datetime import datetime

from msgspec import UNSET

from scoville_client.i18n.language import tr
from scoville_shared.protocol.messages import TableClock


def time_of_day(ms: int) -> str:
    """Format milliseconds since 1970 as hours and minutes."""
    return _local_time(ms).strftime("%H:%M")


def day_text(ms: int) -> str:
    """Format milliseconds since 1970 as a date."""
    return _local_time(ms).strftime("%Y-%m-%d")


def day_and_time(ms: int) -> str:
    """Format milliseconds since 1970 as a date and a time."""
    return _local_time(ms).strftime("%Y-%m-%d %H:%M")


def time_or_day(ms: int, now_ms: int) -> str:
    """Format milliseconds since 1970 as a time if that was today, else as a date."""
    return time_of_day(ms) if day_text(ms) == day_text(now_ms) else day_text(ms)


def _local_time(ms: int) -> datetime:
    try:
        return datetime.fromtimestamp(ms / 1000)
    except (OverflowError, OSError, ValueError):
        return datetime.fromtimestamp(0)


_MINUTE = 60


def limits_thinking(clock: TableClock) -> bool:
    """Whether players have a limited time to think."""
    return clock.timed


def clock_terms(clock: TableClock) -> str:
    """Return the thinking time of a table in a few words, such as `5:00 + 0:05 a game`."""
    parts = []
    if clock.move_ms:
        parts.append(tr("{time} a move", time=_in_minutes(clock.move_ms)))
    if clock.bank_ms or clock.increment_ms:
        each = f" + {_in_minutes(clock.increment_ms)}" if clock.increment_ms else ""
        parts.append(tr("{time} a game", time=f"{_in_minutes(clock.bank_ms or 0)}{each}"))
    return ", ".join(parts) or tr("off")


def waiting_terms(clock: TableClock) -> list[str]:
    """Return sentences about limits that differ from the default: thinking time, and how long seats are kept."""
    sentences = [tr("Thinking time: {time}.", time=clock_terms(clock))] if limits_thinking(clock) else []
    if clock.absence_ms is None:
        sentences.append(tr("A disconnected player's seat is kept without limit."))
    elif clock.absence_ms is not UNSET:
        limit = _in_minutes(clock.absence_ms)
        sentences.append(tr("A bot takes over for a player who is away longer than {time}.", time=limit))
    return sentences


def absence_terms(clock: TableClock) -> str:
    """Return in a few words how long a table keeps the seat of a disconnected player."""
    if clock.absence_ms is UNSET:
        return tr("for some time")
    if clock.absence_ms is None:
        return tr("without limit")
    return tr("{time} minutes", time=_in_minutes(clock.absence_ms))


def _in_minutes(milliseconds: int) -> str:
    return minutes_and_seconds(milliseconds / 1000)


def minutes_and_seconds(seconds: float) -> str:
    """Format seconds such as `0:25` or `12:05`."""
    minutes, rest = divmod(round(seconds), _MINUTE)
    return f"{minutes}:{rest:02}"
