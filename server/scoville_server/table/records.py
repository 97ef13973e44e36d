"""What a journal keeps of a table: its seed, who sat where, and every move. All the rest follows from these.

Records are facts of the past: once decided they are never refused, and the same records always fold into the
same table. Moves and options are kept as the plain data that crossed the wire.
"""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from scoville_shared.ids import PersonId, Seat, TableId
from scoville_shared.wire.messages import TableClock

Plain = Any
Mover = Literal["player", "clock", "bot"]


class Record(Struct, frozen=True, kw_only=True, tag_field="record"):
    """Something that was decided; `at_ms` is milliseconds since 1970."""

    at_ms: int


class Opened(Record, frozen=True, kw_only=True, tag="opened"):
    """`person` opened a table: the game with all its options, and the server's secret `seed`."""

    table: TableId
    game: str
    rules_version: int
    options: Plain
    seats: int
    seed: bytes
    person: PersonId
    clock: TableClock = TableClock()

    @property
    def timed(self) -> bool:
        """Thinking time is counted at this table."""
        return bool(self.clock.move or self.clock.bank or self.clock.increment)


class SatDown(Record, frozen=True, kw_only=True, tag="sat_down"):
    """A person took a seat, or took their own seat back from the bot that kept it warm."""

    seat: Seat
    person: PersonId
    name: str
    nonce: bytes


class GotUp(Record, frozen=True, kw_only=True, tag="got_up"):
    """A person left their seat: while waiting it is free again, later a bot keeps it for them."""

    seat: Seat


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


class AskedForPause(Record, frozen=True, kw_only=True, tag="asked_for_pause"):
    """A seat wants a pause."""

    seat: Seat


class WentOn(Record, frozen=True, kw_only=True, tag="went_on"):
    """A seat ended the pause."""

    seat: Seat


class Reopened(Record, frozen=True, kw_only=True, tag="reopened"):
    """The server is back: the clocks go on, and the time in which it was down is nobody's."""


AnyRecord = Opened | SatDown | GotUp | Dealt | MoveMade | Warned | AskedForPause | WentOn | Reopened

_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[AnyRecord] = msgspec.msgpack.Decoder(AnyRecord)


def pack(record: AnyRecord) -> bytes:
    """Write a record as MessagePack."""
    return _encoder.encode(record)


def unpack(data: bytes) -> AnyRecord:
    """Read a record that `pack` wrote. Raises msgspec.DecodeError for anything else."""
    return _decoder.decode(data)
