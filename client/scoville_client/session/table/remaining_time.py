"""Remaining thinking time of the seats at a table, as boards and the line mode show it."""

from math import floor
from typing import NamedTuple

from scoville_client.i18n.clock_text import minutes_and_seconds
from scoville_client.i18n.language import tr
from scoville_client.session.table.table import AtTable
from scoville_shared.protocol.messages import AnyTableEvent, Played

SHORT = 10
"""Seconds below which a running clock is highlighted."""
_TICK = 0.02
"""Seconds of tolerance after which a displayed clock has certainly changed."""


class Face(NamedTuple):
    """Display of a seat's time: `time` such as `0:25`, its style, and whether it is short."""

    time: str = ""
    style: str = "muted"
    short: bool = False

    @property
    def text(self) -> str:
        """The time, with `!` before it when it is short: that is visible without colours, too."""
        return f"!{self.time}" if self.short else self.time


def overrun_text(at: AtTable, event: AnyTableEvent) -> str:
    """Return the sentence of an event for this player if the clock has moved for them; else an empty text."""
    if not isinstance(event, Played) or event.mover != "clock" or event.seat != at.seat:
        return ""
    sentence = tr("Your time was up, so a move was made for you.")
    if not (at.rated or at.info.clock.by_days):
        return sentence
    # The server's rule for rated games and correspondence: two moves by the clock in a row.
    return f"{sentence} {tr('If it runs out at your next move too, a bot takes over your seat.')}"


def clock_face(at: AtTable, seat: int, now: float) -> str:
    """Return the remaining time of a seat at `now` (monotonic seconds), such as `0:25`; empty without a clock."""
    seconds = at.seconds_left(seat, now)
    return "" if seconds is None else minutes_and_seconds(seconds)


def clock_faces(at: AtTable, now: float) -> tuple[Face, ...]:
    """Return the time of each seat at `now` (monotonic seconds); nothing if no player has a clock."""
    shown = tuple(_face_of(at, seat, now) for seat in range(len(at.info.seats)))
    return shown if any(face.time for face in shown) else ()


def next_change(at: AtTable, now: float) -> float | None:
    """Return the seconds after `now` (monotonic) until a displayed clock changes; None while none runs."""
    if at.info.paused:
        return None
    gone = now - at.clocks.since
    left = [ms / 1000 - gone for seat, ms in enumerate(at.clocks.left_ms) if _is_thinking(at, seat)]
    return min((seconds - floor(seconds) + _TICK for seconds in left if seconds > 0), default=None)


def _face_of(at: AtTable, seat: int, now: float) -> Face:
    seconds = at.seconds_left(seat, now)
    if seconds is None or at.info.status != "playing" or at.info.seats[seat].kind != "human":
        return Face()
    thinks = _is_thinking(at, seat)
    short = thinks and seconds < SHORT
    style = "muted" if at.info.paused or not thinks else "bad" if short else "strong"
    return Face(minutes_and_seconds(seconds), style, short)


def _is_thinking(at: AtTable, seat: int) -> bool:
    return seat in at.pending and at.info.seats[seat].kind == "human"
