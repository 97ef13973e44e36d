"""What a journal keeps of a table: its seed, who sat where, and every move. All the rest follows from these.

Records are facts of the past: once decided they are never refused, and the same records always fold into the
same table. Moves and options are kept as the plain data that crossed the wire.
"""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import AnyTableEvent, Manners, TableClock

Plain = Any
Mover = Literal["player", "clock", "bot"]
CountdownWhy = Literal["full", "ready", "fill"]
"""Why a game starts by itself: all seats are taken, all people are ready, or they have waited for long enough."""


class Record(Struct, frozen=True, kw_only=True, tag_field="record"):
    """Something that was decided; `at_ms` is milliseconds since 1970."""

    at_ms: int


class Opened(Record, frozen=True, kw_only=True, tag="opened"):
    """`person`, called `opener`, opened a table: the game with all its options, and the server's secret `seed`.

    A table of the house has no opener. `code` leads to the table; `password` is a salted hash, empty for none. `before`
    is the table after which this one was opened to play again: `dealer` is then the seat whose deal it is, in a game
    where that goes round; `admitted` are those who may come in, and `barred` those who may not, with the reason.
    """

    table: TableId
    game: str
    rules_version: int
    options: Plain
    seats: int
    seed: bytes
    person: UserId
    clock: TableClock = TableClock()
    manners: Manners = Manners()
    code: str = ""
    password: bytes = b""
    opener: str = ""
    before: TableId | None = None
    dealer: Seat | None = None
    admitted: tuple[UserId, ...] = ()
    barred: dict[UserId, str] = {}

    @property
    def timed(self) -> bool:
        """Thinking time is counted at this table."""
        return bool(self.clock.move or self.clock.bank or self.clock.increment)


class Admitted(Record, frozen=True, kw_only=True, tag="admitted"):
    """The door was opened for a person."""

    person: UserId


class Joined(Record, frozen=True, kw_only=True, tag="sat_down"):
    """A person took a seat, or took their own seat back from the bot that kept it warm."""

    seat: Seat
    person: UserId
    name: str
    nonce: bytes


class NonceGiven(Record, frozen=True, kw_only=True, tag="nonce_given"):
    """A person who sat there already gave their share of the chance, instead of an earlier one."""

    seat: Seat
    nonce: bytes


class Left(Record, frozen=True, kw_only=True, tag="got_up"):
    """A person left their seat: while waiting it is free again, later a bot keeps it for them."""

    seat: Seat
    why: Literal["left", "absent"] = "left"


class Kicked(Record, frozen=True, kw_only=True, tag="kicked"):
    """The host sent a person away for good: from `seat`, which is free again or stays a bot's, or from looking on."""

    person: UserId
    name: str
    seat: Seat | None
    reason: str


class HostChanged(Record, frozen=True, kw_only=True, tag="host_given"):
    """The person at `seat` is the host from now on."""

    seat: Seat
    why: Literal["given", "idle"] = "given"


class ReadyChanged(Record, frozen=True, kw_only=True, tag="said_ready"):
    """A seat is ready for the game to begin, or is not any more."""

    seat: Seat
    ready: bool


class CountdownStarted(Record, frozen=True, kw_only=True, tag="countdown_began"):
    """The game begins by itself at `until_ms`, if nothing breaks the countdown off; it replaces an earlier one."""

    until_ms: int
    why: CountdownWhy


class CountdownCancelled(Record, frozen=True, kw_only=True, tag="countdown_broken"):
    """The game does not begin by itself any more."""


class Dealt(Record, frozen=True, kw_only=True, tag="dealt"):
    """The game began; bots of `strength` play the seats in `bots`, by name."""

    strength: str
    bots: dict[Seat, str]


class MoveMade(Record, frozen=True, kw_only=True, tag="move_made"):
    """A seat moved."""

    seat: Seat
    move: Plain
    by: Mover


class Warned(Record, frozen=True, kw_only=True, tag="warned"):
    """A seat was told, before all, that a bot will act for it in `seconds`."""

    seat: Seat
    reason: Literal["clock", "absence"]
    seconds: int


class PauseRequested(Record, frozen=True, kw_only=True, tag="asked_for_pause"):
    """A seat wants a pause."""

    seat: Seat


class Resumed(Record, frozen=True, kw_only=True, tag="went_on"):
    """A seat ended the pause."""

    seat: Seat


class RematchOpened(Record, frozen=True, kw_only=True, tag="went_on_to"):
    """The people play again at `table`; the person called `by` wished it."""

    table: TableId
    by: str


class Sitter(Struct, frozen=True, kw_only=True):
    """A person at a seat of a table that waits."""

    seat: Seat
    person: UserId
    name: str
    nonce: bytes


class Condensed(Record, frozen=True, kw_only=True, tag="condensed"):
    """A waiting table as it was, in place of all its records after the one that opened it.

    `seq` is the number of its latest event, `events` are the newest ones; the others are forgotten. `until_ms` and
    `why` are those of its countdown, if one was running. The rest is as in the table.
    """

    seq: int
    events: list[AnyTableEvent]
    sitters: list[Sitter]
    host: Seat | None
    admitted: list[UserId]
    kicked: dict[UserId, str]
    ready: list[Seat]
    since_ms: int | None
    acted_ms: int
    host_acted_ms: int
    until_ms: int | None = None
    why: CountdownWhy = "full"


class Closed(Record, frozen=True, kw_only=True, tag="closed"):
    """The house closed the table, and why, in words for people."""

    reason: str


class Reopened(Record, frozen=True, kw_only=True, tag="reopened"):
    """The server is back: the clocks go on, and the time in which it was down counts for nobody.

    Until `alive_ms` the server is known to have run, and whoever was thinking had that time; None means until the
    record before this one.
    """

    alive_ms: int | None = None


AnyRecord = (
    Opened
    | Admitted
    | Joined
    | NonceGiven
    | Left
    | Kicked
    | HostChanged
    | ReadyChanged
    | CountdownStarted
    | CountdownCancelled
    | Dealt
    | MoveMade
    | Warned
    | PauseRequested
    | Resumed
    | RematchOpened
    | Condensed
    | Closed
    | Reopened
)


def replace_all(records: Sequence[AnyRecord]) -> bool:
    """Tell whether records are a whole condensed table, in place of everything that was kept of it before."""
    return len(records) > 1 and isinstance(records[0], Opened) and isinstance(records[1], Condensed)


_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[AnyRecord] = msgspec.msgpack.Decoder(AnyRecord)


def pack(record: AnyRecord) -> bytes:
    """Write a record as MessagePack."""
    return _encoder.encode(record)


def unpack(data: bytes) -> AnyRecord:
    """Read a record that `pack` wrote. Raises msgspec.DecodeError for anything else."""
    return _decoder.decode(data)
