"""Thinking time as people read it: what a table gives, and what is left of it."""

from scoville_client.language import words
from scoville_client.table import AtTable
from scoville_shared.wire.messages import TableClock

_MINUTE = 60


def clock_terms(clock: TableClock) -> str:
    """Say in a few words how much time a table gives."""
    told = []
    if clock.move:
        told.append(words("{time} a move", time=_time(clock.move)))
    if clock.bank or clock.increment:
        each = f" + {_time(clock.increment)}" if clock.increment else ""
        told.append(words("{time} a game", time=f"{_time(clock.bank)}{each}"))
    return ", ".join(told) or words("off")


def clock_face(at: AtTable, seat: int, now: float) -> str:
    """Show what is left of a seat's time at `now` (monotonic), such as `0:25`; empty where time is not counted."""
    seconds = at.seconds_left(seat, now)
    return "" if seconds is None else _time(seconds)


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), _MINUTE)
    return f"{minutes}:{rest:02}"
