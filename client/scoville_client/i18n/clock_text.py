"""Thinking time and absence limits of a table, in words."""

from scoville_client.i18n.language import words
from scoville_shared.protocol.messages import TableClock

_MINUTE = 60


def limits_thinking(clock: TableClock) -> bool:
    """Whether players have a limited time to think."""
    return bool(clock.move or clock.bank or clock.increment)


def clock_terms(clock: TableClock) -> str:
    """Return the thinking time of a table in a few words, such as `5:00 + 0:05 a game`."""
    parts = []
    if clock.move:
        parts.append(words("{time} a move", time=minutes_and_seconds(clock.move)))
    if clock.bank or clock.increment:
        each = f" + {minutes_and_seconds(clock.increment)}" if clock.increment else ""
        parts.append(words("{time} a game", time=f"{minutes_and_seconds(clock.bank)}{each}"))
    return ", ".join(parts) or words("off")


def waiting_terms(clock: TableClock) -> list[str]:
    """Return sentences about limits that differ from the default: thinking time, and how long seats are kept."""
    sentences = [words("Thinking time: {time}.", time=clock_terms(clock))] if limits_thinking(clock) else []
    if clock.absence == 0:
        sentences.append(words("A disconnected player's seat is kept without limit."))
    elif clock.absence is not None:
        limit = minutes_and_seconds(clock.absence)
        sentences.append(words("A bot takes over for a player who is away longer than {time}.", time=limit))
    return sentences


def absence_terms(clock: TableClock) -> str:
    """Return in a few words how long a table keeps the seat of a disconnected player."""
    if clock.absence is None:
        return words("for some time")
    if clock.absence == 0:
        return words("without limit")
    return words("{time} minutes", time=minutes_and_seconds(clock.absence))


def minutes_and_seconds(seconds: float) -> str:
    """Format seconds such as `0:25` or `12:05`."""
    minutes, rest = divmod(round(seconds), _MINUTE)
    return f"{minutes}:{rest:02}"
