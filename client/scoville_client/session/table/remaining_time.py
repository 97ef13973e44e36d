"""Remaining thinking time of the seats at a table, as boards and the line mode show it."""

from math import floor
from typing import NamedTuple

from scoville_client.i18n.clock_text import minutes_and_seconds
from scoville_client.session.table.table import AtTable

SHORT = 10
"""Seconds from which on, downwards, a running clock is marked."""
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


def clock_face(at: AtTable, seat: int, now: float) -> str:
    """Show what is left of a seat's time at `now` (monotonic), such as `0:25`; empty where time is not counted."""
    seconds = at.seconds_left(seat, now)
    return "" if seconds is None else minutes_and_seconds(seconds)


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
    return Face(minutes_and_seconds(seconds), style, short)


def _thinks(at: AtTable, seat: int) -> bool:
    return seat in at.pending and at.info.seats[seat].kind == "human"
