"""Description of a table as events change it, and the clocks of its seats."""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from msgspec.structs import replace

from scoville_client.i18n.language import tr
from scoville_client.i18n.name_text import OWNED
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import (
    AnyTableEvent,
    CountdownCancelled,
    CountdownStarted,
    Finished,
    HostTransferred,
    Joined,
    Kicked,
    Left,
    NoncesRequested,
    Paused,
    ReadyChanged,
    Resumed,
    SeatInfo,
    SpectatorsNotice,
    Started,
    StartVoided,
    TableInfo,
    TableSnapshot,
)


class Clocks(NamedTuple):
    """Thinking time of each seat in milliseconds, received at the time `since`; empty without clocks."""

    left_ms: tuple[int, ...]
    since: float

    def seconds(self, seat: int, now: float) -> int | None:
        """Return what a running clock shows at `now`: whole seconds, rounded up; None without clocks."""
        if seat >= len(self.left_ms):
            return None
        return max(0, ceil(self.left_ms[seat] / 1000 - (now - self.since)))


class Audience(NamedTuple):
    """Those who watch a table, this user perhaps among them.

    `spectators` are the present ones; `commentators` are all who have seen a hand with the commentators' key, also
    those who left; `claimed` are those of these names that were claimed when their users came.
    """

    spectators: list[str]
    commentators: list[str]
    claimed: frozenset[str]


def audience_of(message: TableSnapshot | SpectatorsNotice) -> Audience:
    """Return the audience that a server describes. A name that a guest has had too counts as not claimed."""
    lists = (
        (message.spectators, {*message.claimed_spectators}),
        (message.commentators, {*message.claimed_commentators}),
    )
    each = [(name, place in claimed) for names, claimed in lists for place, name in enumerate(names)]
    claimed = {name for name, claimed in each} - {name for name, claimed in each if not claimed}
    return Audience(message.spectators, message.commentators, frozenset(claimed))


def info_after(info: TableInfo, event: AnyTableEvent) -> TableInfo:
    """Return the description of a table after an event."""
    if isinstance(event, Joined | Left | Kicked | HostTransferred):
        info = replace(info, host=event.host)
    match event:
        case Joined(seat=seat, name=name, claimed=claimed):
            return with_seat(info, seat, SeatInfo(name=name, kind="human", connected=True, claimed=claimed))
        case Left(seat=int(seat)) | Kicked(seat=int(seat)):
            return with_seat(_with_ready(info, seat, ready=False), seat, _seat_after_leaving(info, seat))
        case ReadyChanged(seat=seat, ready=ready):
            return _with_ready(info, seat, ready=ready)
        case _:
            return _info_of_game_after(info, event)


def _info_of_game_after(info: TableInfo, event: AnyTableEvent) -> TableInfo:
    match event:
        case CountdownStarted(starts_in_ms=starts_in_ms) | NoncesRequested(starts_in_ms=starts_in_ms):
            return replace(info, starts_in_ms=starts_in_ms)
        case CountdownCancelled() | StartVoided():
            return replace(info, starts_in_ms=None)
        case Started(seats=seats):
            return replace(info, seats=seats, status="playing", starts_in_ms=None)
        case Paused(granted=paused):
            return replace(info, paused=paused)
        case Resumed():
            return replace(info, paused=False)
        case Finished():
            return replace(info, status="finished")
        case _:
            return info


def with_seat(info: TableInfo, seat: int, occupant: SeatInfo) -> TableInfo:
    """Return the description of a table with another occupant of a seat."""
    seats = list(info.seats)
    seats[seat] = occupant
    return replace(info, seats=seats)


def _with_ready(info: TableInfo, seat: int, *, ready: bool) -> TableInfo:
    others = {*info.ready_seats} - {seat}
    return replace(info, ready_seats=sorted({*others, seat} if ready else others))


def _seat_after_leaving(info: TableInfo, seat: int) -> SeatInfo:
    """Return a seat after its player left: open before the game, a bot of the same name in it."""
    if info.status == "waiting":
        return SeatInfo()
    # In a game a bot plays on under the player's name, since the seat is a part of the result.
    level = info.settings.absent_level or info.settings.bot_level
    return replace(info.seats[seat], kind="bot", connected=True, claimed=False, level=level)


def seats_of(numbers: Sequence[int]) -> frozenset[Seat]:
    """Return seat numbers of the protocol as a set of seats."""
    return frozenset(map(Seat, numbers))


def mark_of_seat(now: SeatInfo, started: Started | None, seat: int) -> str:
    """Return the mark of a seat: disconnected, replaced by a bot, or a claimed name; empty for the others."""
    if now.kind == "human":
        return OWNED * now.claimed if now.connected else tr("(away)")
    dealt = "bot" if started is None else started.seats[seat].kind
    return tr("(bot)") if now.kind == "bot" and dealt == "human" else ""


def next_seat(now: Seat | None, seats: int, *, neutral: bool) -> Seat | None:
    """Return the point of view after `now`, in a circle; with that of no seat (None) if `neutral`."""
    order: list[Seat | None] = [*[None] * neutral, *map(Seat, range(seats))]
    return order[(order.index(now) + 1) % len(order)] if now in order else order[0]
