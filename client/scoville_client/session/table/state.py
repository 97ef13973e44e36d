"""State of a table as events change it: seats, pending players, clocks, the countdown and a vote."""

from collections.abc import Callable, Sequence
from math import ceil
from typing import NamedTuple

from msgspec.structs import replace

from scoville_client.session.table.vote import Vote, vote_since
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
    Played,
    ReadyChanged,
    Resumed,
    SeatInfo,
    Started,
    StartVoided,
    TableSnapshot,
    Voted,
    VoteEnded,
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


class TableState:
    """A table after event `seq`, as `info` describes it, from the seat `seat` (None: a spectator).

    `pending` are the seats that must move, `played` counts the moves of each seat, and `starts_at` is the monotonic
    time in seconds at which a countdown ends, or the wait for nonces.
    """

    def __init__(self, snapshot: TableSnapshot, now: Callable[[], float]) -> None:
        self.now = now
        self.seq = 0
        self.info = snapshot.info
        self.seat: Seat | None = None
        self.pending: frozenset[Seat] = frozenset()
        self.played: tuple[int, ...] = ()
        self.clocks = Clocks((), now())
        self.starts_at: float | None = None
        self.vote: Vote | None = None

    @property
    def hosting(self) -> bool:
        """Whether this user may start the game."""
        return self.seat is not None and self.seat == self.info.host

    @property
    def my_turn(self) -> bool:
        """Whether this user must move."""
        # Moves are still owed in a pause, but the server refuses them.
        return self.seat in self.pending and not self.info.paused

    def seconds_left(self, seat: int, now: float) -> int | None:
        """Return the seconds that a seat has for its move at `now` (monotonic); None without a clock."""
        runs = not self.info.paused and seat in self.pending and self.info.seats[seat].kind == "human"
        # A clock that stands shows what it showed when it was received.
        return self.clocks.seconds(seat, now if runs else self.clocks.since)

    def change(self, event: AnyTableEvent) -> None:
        """Apply what an event changes, in the seats or in the game."""
        if isinstance(event, Joined | Left | Kicked | HostTransferred):
            self.info = replace(self.info, host=event.host)
        match event:
            case Joined(seat=seat, name=name, claimed=claimed):
                self.set_seat(seat, SeatInfo(name=name, kind="human", connected=True, claimed=claimed))
            case Left(seat=int(seat)) | Kicked(seat=int(seat)):
                self.set_seat(seat, self._after_leaving(seat))
                # The event of the kick ends the vote; no other one follows.
                self.vote = None if isinstance(event, Kicked) and event.voted else self.vote
            case ReadyChanged(seat=seat, ready=ready):
                self._ready(seat, ready=ready)
            case CountdownStarted(starts_in_ms=starts_in_ms) | NoncesRequested(starts_in_ms=starts_in_ms):
                self.set_start(starts_in_ms)
            case CountdownCancelled() | StartVoided():
                self.set_start(None)
            case _:
                self._play_on(event)

    def _play_on(self, event: AnyTableEvent) -> None:
        match event:
            case Started(seats=seats, pending=pending):
                self.set_start(None)
                self.info = replace(self.info, seats=seats, status="playing")
                self.pending, self.played = seats_of(pending), (0,) * len(seats)
            case Played(pending=pending, move_counts=played):
                self.pending, self.played = seats_of(pending), tuple(played)
            case Paused(granted=paused):
                self.info = replace(self.info, paused=paused)
            case Resumed():
                self.info = replace(self.info, paused=False)
            case Finished():
                self.info = replace(self.info, status="finished")
                self.pending, self.vote = frozenset(), None
            case Voted(vote=vote):
                self.vote = vote_since(vote, self.now())
            case VoteEnded():
                self.vote = None

    def _ready(self, seat: int, *, ready: bool) -> None:
        others = {*self.info.ready_seats} - {seat}
        self.info = replace(self.info, ready_seats=sorted({*others, seat} if ready else others))

    def set_start(self, starts_in_ms: int | None) -> None:
        """Set in how many milliseconds the game starts; None without a countdown."""
        self.info = replace(self.info, starts_in_ms=starts_in_ms)
        # In this client's own time: the clocks of client and server need not agree.
        self.starts_at = None if starts_in_ms is None else self.now() + starts_in_ms / 1000

    def _after_leaving(self, seat: int) -> SeatInfo:
        """Return a seat after its player left: open before the game, a bot of the same name in it."""
        self._ready(seat, ready=False)
        # In a game a bot plays on under the player's name, since the seat is a part of the result.
        return (
            SeatInfo()
            if self.info.status == "waiting"
            else replace(
                self.info.seats[seat],
                kind="bot",
                connected=True,
                claimed=False,
                level=self.info.settings.absent_level or self.info.settings.bot_level,
            )
        )

    def set_seat(self, seat: int, info: SeatInfo) -> None:
        """Replace the information about a seat."""
        seats = list(self.info.seats)
        seats[seat] = info
        self.info = replace(self.info, seats=seats)


def seats_of(numbers: Sequence[int]) -> frozenset[Seat]:
    """Return seat numbers of the protocol as a set of seats."""
    return frozenset(map(Seat, numbers))
