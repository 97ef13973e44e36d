"""Thinking time and absence limits of a table, in words; dates and times in this machine's time zone."""

from contextvars import ContextVar
from datetime import datetime

from msgspec import UNSET, UnsetType

from scoville_client.i18n.language import render, tr
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import DAY_MS, Night, TableClock

_FIRST_DAY = datetime(1970, 1, 1).toordinal()


def time_of_day(ms: int) -> str:
    """Format milliseconds since 1970 as hours and minutes."""
    return _local_time(ms).strftime("%H:%M")


def day_text(ms: int) -> str:
    """Format milliseconds since 1970 as a date."""
    return _local_time(ms).strftime("%Y-%m-%d")


def day_and_time(ms: int) -> str:
    """Format milliseconds since 1970 as a date and a time."""
    return _local_time(ms).strftime("%Y-%m-%d %H:%M")


def local_day(ms: int) -> int:
    """Return the day since 1970-01-01 at milliseconds since then, as this machine counts it."""
    return _local_time(ms).toordinal() - _FIRST_DAY


def time_or_day(ms: int, now_ms: int) -> str:
    """Format milliseconds since 1970 as a time if that was today, else as a date."""
    return time_of_day(ms) if day_text(ms) == day_text(now_ms) else day_text(ms)


def _local_time(ms: int) -> datetime:
    try:
        return datetime.fromtimestamp(ms / 1000)
    except (OverflowError, OSError, ValueError):  # a server may send any number: a wrong date ends no client
        return datetime.fromtimestamp(0)


_MINUTE, _HOUR, _DAY_HOURS = 60, 3_600, 24
_DAY = _DAY_HOURS * _HOUR
_is_heard: ContextVar[bool] = ContextVar("is_heard", default=False)
"""Whether texts are read aloud: `1:00` would be a time of day then."""
_UNITS = (
    (_DAY, Phrase("{n} day", many="{n} days")),
    (_HOUR, Phrase("{n} hour", many="{n} hours")),
    (_MINUTE, Phrase("{n} minute", many="{n} minutes")),
    (1, Phrase("{n} second", many="{n} seconds")),
)
_MANY_HOURS = 12
"""From so many hours on nobody counts seconds: no clock of an evening has as much."""
_DAYS = Phrase("{n} day a move", many="{n} days a move")


def speak_durations() -> None:
    """Write durations in words from here on, for a user who hears them."""
    _is_heard.set(True)


def limits_thinking(clock: TableClock) -> bool:
    """Whether players have a limited time to think."""
    return clock.timed


def clock_terms(clock: TableClock) -> str:
    """Return the thinking time of a table in a few words, such as `5:00 + 0:05 a game`."""
    parts = []
    if clock.by_days and clock.move_ms:
        days = clock.move_ms // DAY_MS
        parts.append(render(_DAYS.with_fields({"n": days}, number=days)))
        parts += [tr("at night no time passes: {hours}", hours=night)] if (night := night_terms(clock.night)) else []
    elif clock.move_ms:
        parts.append(tr("{time} a move", time=_in_minutes(clock.move_ms)))
    if clock.bank_ms or clock.increment_ms:
        each = f" + {_in_minutes(clock.increment_ms)}" if clock.increment_ms else ""
        parts.append(tr("{time} a game", time=f"{_in_minutes(clock.bank_ms or 0)}{each}"))
    return ", ".join(parts) or tr("off")


def night_terms(night: Night | UnsetType) -> str:
    """Return the hours in which no clock runs, such as `22:00–7:00 (Europe/Berlin)`; empty for none."""
    return "" if night is UNSET else f"{night.begins}:00–{night.ends}:00 ({night.zone})"


def waiting_terms(clock: TableClock) -> list[str]:
    """Return sentences about limits that differ from the default: thinking time, and how long seats are kept."""
    sentences = [tr("Thinking time: {time}.", time=clock_terms(clock))] if limits_thinking(clock) else []
    if clock.by_days:
        sentences.append(tr("If you miss two deadlines in a row, a bot plays for you until you come back."))
    elif clock.absence_ms is None:
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
    time = _in_minutes(clock.absence_ms)
    return time if _is_heard.get() else tr("{time} minutes", time=time)


def _in_minutes(milliseconds: int) -> str:
    return minutes_and_seconds(milliseconds / 1000)


def minutes_and_seconds(seconds: float) -> str:
    """Format seconds such as `0:25` or `12:05`; hours and days such as `5h07` and `2d 4h`; for listeners in words."""
    if _is_heard.get():
        return _in_words(round(seconds))
    hours, part = divmod(round(seconds), _HOUR)
    if hours >= _DAY_HOURS:
        return f"{hours // _DAY_HOURS}d {hours % _DAY_HOURS}h"
    if hours >= _MANY_HOURS:
        return f"{hours}h{part // _MINUTE:02}"
    minutes, rest = divmod(round(seconds), _MINUTE)
    return f"{minutes}:{rest:02}"


def short_seconds(seconds: int) -> str:
    """Format a few seconds, such as `30 s`."""
    return _in_words(seconds) if _is_heard.get() else tr("{seconds} s", seconds=seconds)


def _in_words(seconds: int) -> str:
    """Write the two largest units of a duration, such as `2 minutes 30 seconds`."""
    parts: list[str] = []
    rest = seconds
    for unit, phrase in _UNITS:
        n, rest = divmod(rest, unit)
        if n or (unit == 1 and not parts):
            parts.append(render(phrase.with_fields({"n": n}, number=n)))
    return " ".join(parts[:2])
