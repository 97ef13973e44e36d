"""Thinking time as people read it: what a table gives, and what is left of it."""

from math import floor
from typing import NamedTuple

from scoville_client.i18n.language import words
from scoville_client.session.table.table import AtTable
from scoville_shared.protocol.messages import TableClock

SHORT = 10
"""Seconds from which on, downwards, a running clock is marked."""
_MINUTE = 60
_TICK = 0.02
"""Seconds after which a clock that was just to change surely has."""


class Face(NamedTuple):
    """What a board shows of a seat's time: `time` such as `0:25`, the name of its style, whether little is left."""

    time: str = ""
    style: str = "muted"
    short: bool = False

    @property
    def text(self) -> str:
        """The time, with a sign before it when little is left: it must be seen without colours as well."""
        return f"!{self.time}" if self.short else self.time


def clock_terms(clock: TableClock) -> str:
    """Say in a few words how much time a table gives."""
    told = []
    if clock.move:
        told.append(words("{time} a move", time=_time(clock.move)))
    if clock.bank or clock.increment:
        each = f" + {_time(clock.increment)}" if clock.increment else ""
        told.append(words("{time} a game", time=f"{_time(clock.bank)}{each}"))
    return ", ".join(told) or words("off")


def waiting_terms(clock: TableClock) -> list[str]:
    """Say in sentences what a table waits for: thinking, and who is away; nothing where it is as usual."""
    thinking = clock_terms(clock)
    told = [words("Thinking time: {time}.", time=thinking)] if thinking != words("off") else []
    if clock.absence == 0:
        told.append(words("A seat is kept for who is away, however long."))
    elif clock.absence is not None:
        told.append(words("A bot plays on for who is away longer than {time}.", time=_time(clock.absence)))
    return told


def absence_terms(clock: TableClock) -> str:
    """Say in a few words how long a table keeps the seat of somebody who is disconnected."""
    if clock.absence is None:
        return words("for a while")
    return words("{time} minutes", time=_time(clock.absence)) if clock.absence else words("as long as it takes")


def clock_face(at: AtTable, seat: int, now: float) -> str:
    """Show what is left of a seat's time at `now` (monotonic), such as `0:25`; empty where time is not counted."""
    seconds = at.seconds_left(seat, now)
    return "" if seconds is None else _time(seconds)


def faces(at: AtTable, now: float) -> tuple[Face, ...]:
    """Show everybody's time at `now` (monotonic), by seat; none at all where no person's time is counted."""
    shown = tuple(_face(at, seat, now) for seat in range(len(at.info.seats)))
    return shown if any(face.time for face in shown) else ()


def next_change(at: AtTable, now: float) -> float | None:
    """Say in how many seconds after `now` (monotonic) some clock shows another number; None while none runs."""
    if at.info.paused:
        return None
    gone = now - at.clocks.heard
    left = [ms / 1000 - gone for seat, ms in enumerate(at.clocks.left_ms) if _thinks(at, seat)]
    return min((seconds - floor(seconds) + _TICK for seconds in left if seconds > 0), default=None)


def _face(at: AtTable, seat: int, now: float) -> Face:
    seconds = at.seconds_left(seat, now)
    if seconds is None or at.info.status != "playing" or at.info.seats[seat].kind != "human":
        return Face()
    thinks = _thinks(at, seat)
    short = thinks and seconds < SHORT
    style = "muted" if at.info.paused or not thinks else "bad" if short else "strong"
    return Face(_time(seconds), style, short)


def _thinks(at: AtTable, seat: int) -> bool:
    return seat in at.pending and at.info.seats[seat].kind == "human"


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), _MINUTE)
    return f"{minutes}:{rest:02}"
