"""What happens at a table, and how a watcher is told."""

from typing import Literal

from msgspec import Struct

from scoville_shared.protocol.messages.base import Mover, Plain, Reply
from scoville_shared.protocol.messages.tables import SeatInfo, TableInfo


class TableEvent(Struct, frozen=True, kw_only=True, tag_field="kind"):
    """Something that happened; `seq` counts a table's events from 1, without gaps."""

    seq: int


class SeatTaken(TableEvent, frozen=True, kw_only=True, tag="seat_taken"):
    """Somebody sat down."""

    seat: int
    info: SeatInfo
    host: int | None


class SeatLeft(TableEvent, frozen=True, kw_only=True, tag="seat_left"):
    """Somebody got up, or was away for too long; `host` is who starts the game from now on."""

    seat: int
    name: str
    host: int | None
    why: Literal["left", "absent"] = "left"


class Kicked(TableEvent, frozen=True, kw_only=True, tag="kicked"):
    """The host sent somebody away, from `seat` or, None, from looking on."""

    seat: int | None
    name: str
    reason: str
    host: int | None


class HostChanged(TableEvent, frozen=True, kw_only=True, tag="host_changed"):
    """Somebody else is the host from now on."""

    host: int | None
    why: Literal["given", "idle"] = "given"


class ReadyChanged(TableEvent, frozen=True, kw_only=True, tag="ready_changed"):
    """A seat is ready for the game to begin, or is not."""

    seat: int
    ready: bool


class Countdown(TableEvent, frozen=True, kw_only=True, tag="countdown"):
    """The game starts by itself in so many `seconds`; None: not any more."""

    seconds: int | None
    why: Literal["full", "ready", "fill"]


class MovedOn(TableEvent, frozen=True, kw_only=True, tag="moved_on"):
    """The people of this table play again at `table`: their seats are kept there; `by` wished it."""

    table: str
    by: str


class TableClosed(TableEvent, frozen=True, kw_only=True, tag="closed"):
    """The table is cleared away, and why, in words for people."""

    reason: str


class GameStarted(TableEvent, frozen=True, kw_only=True, tag="game_started"):
    """The deal: `nonces` are the players' shares, hex, in seat order."""

    seats: list[SeatInfo]
    nonces: list[str]
    pending: list[int]


class Moved(TableEvent, frozen=True, kw_only=True, tag="moved"):
    """A seat moved. `facts` are what this watcher may know of it; `played` counts the moves of each seat."""

    seat: int
    by: Mover
    facts: list[Plain]
    pending: list[int]
    played: list[int]


class GameFinished(TableEvent, frozen=True, kw_only=True, tag="game_finished"):
    """The end, and the seed that was committed to, hex."""

    scores: list[int]
    places: list[int]
    reason: str
    server_seed: str


class ClockWarning(TableEvent, frozen=True, kw_only=True, tag="clock_warning"):
    """A bot will soon act for a seat: make its move when its `clock` has run out, or play on after its `absence`."""

    seat: int
    reason: Literal["clock", "absence"]
    seconds_left: int


class PauseAsked(TableEvent, frozen=True, kw_only=True, tag="pause_asked"):
    """A seat asks for a pause or agrees to one; with the last of them the table is `paused`."""

    seat: int
    paused: bool


class Resumed(TableEvent, frozen=True, kw_only=True, tag="resumed"):
    """A seat has ended the pause."""

    seat: int


class UnknownEvent(TableEvent, frozen=True, kw_only=True, tag="unknown"):
    """What a reader takes an event for that it cannot read: only the number counts. It is never sent."""


AnyTableEvent = (
    SeatTaken
    | SeatLeft
    | Kicked
    | HostChanged
    | ReadyChanged
    | Countdown
    | GameStarted
    | Moved
    | GameFinished
    | MovedOn
    | ClockWarning
    | PauseAsked
    | Resumed
    | TableClosed
    | UnknownEvent
)


class TableSnapshot(Reply, frozen=True, kw_only=True):
    """A table as this watcher may see it: the events asked for, and the View after event `seq`.

    `seat` is the watcher's own, None for a spectator; a commentator's `eyes` are those of a seat. `view` and `pending`
    are empty until the game starts. `left_ms` is each seat's time, empty without clocks: it passes for the people among
    the pending. `spectators` are the names of those who look on, `commentators` those among them who see a hand.

    Of very many events it holds the first. Then `seq` is the number of the last of these, and `latest` that of the
    table's latest event, after which the View is; ask again with `since` = `seq` for the next ones.

    `key` is the commentators' key, for the user who opened the table only; empty for everybody else.
    """

    info: TableInfo
    seq: int
    seat: int | None
    view: Plain | None
    pending: list[int]
    played: list[int]
    events: list[AnyTableEvent]
    left_ms: list[int] = []
    eyes: int | None = None
    spectators: list[str] = []
    commentators: list[str] = []
    latest: int | None = None
    key: str = ""
