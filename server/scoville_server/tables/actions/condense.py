"""Condensing of waiting tables: one record replaces a history that users could make longer without end."""

from typing import Final

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from scoville_server.tables.actions.restart import Adopted
from scoville_server.tables.model.action import Action
from scoville_server.tables.model.history import History
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import Commentator, Countdown, CountdownWhy, RecordedEvent, SeatState, Table
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import AnyTableEvent

MOST_RECORDS: Final = 200
"""Number of records after which a waiting table is condensed; few tables ever have so many."""

KEPT_EVENTS: Final = 50
"""Number of newest events that a waiting table keeps: clients that reconnect within them miss nothing."""

MOST_EVENTS: Final = 500
"""Most events of a waiting table. Condensing keeps it far below; this bounds restored tables."""


class SeatedPlayer(Struct, frozen=True, kw_only=True):
    """A seated player of a waiting table."""

    seat: Seat
    user: UserId
    name: str
    claimed: bool = False
    nonce_hash: bytes


class Condensed(Record, frozen=True, kw_only=True, tag="condensed"):
    """A waiting table as it was, in place of all its records after `Created`.

    `seq` is the number of its latest event; `events` are the newest ones, the others are dropped. `until_ms` and
    `reason` belong to its countdown, if one was running. The other fields are as in `Table`.
    """

    seq: int
    events: list[AnyTableEvent]
    sitters: list[SeatedPlayer]
    host: Seat | None
    admitted: list[UserId]
    kicked: dict[UserId, str]
    ready: list[Seat]
    since_ms: int | None
    acted_ms: int
    host_acted_ms: int
    until_ms: int | None = None
    reason: CountdownWhy = "full"
    redrawing: list[Seat] = field(default_factory=list)
    voided_ms: int = 0
    withheld: list[UserId] = field(default_factory=list)
    commentators: dict[UserId, Commentator] = field(default_factory=dict)
    members: list[UserId] | UnsetType = UNSET
    former_members: list[UserId] | UnsetType = UNSET


def has_too_many_records(table: Table) -> bool:
    """Whether the records of a waiting table should be condensed."""
    return table.age >= MOST_RECORDS and table.revealing is None and table.closed is None


def condense_table(table: Table, now_ms: int, kept: int = KEPT_EVENTS) -> tuple[Record, ...]:
    """Return the records that restore a waiting table as it is, with at most `kept` of its newest events."""
    countdown = table.countdown
    condensed = Condensed(
        at_ms=now_ms,
        seq=table.seq,
        events=[recorded.event for recorded in table.recorded_events[-kept:]],
        sitters=[_describe_player(seat, table.seats[seat]) for seat in sorted(table.human_seats)],
        host=table.host,
        admitted=sorted(table.admitted),
        kicked=dict(table.kicked),
        ready=sorted(table.ready),
        since_ms=table.since_ms,
        acted_ms=table.acted_ms,
        host_acted_ms=table.host_acted_ms,
        until_ms=None if countdown is None else countdown.until_ms,
        reason="full" if countdown is None else countdown.reason,
        redrawing=sorted(table.redrawing),
        voided_ms=table.voided_ms,
        withheld=sorted(table.withheld),
        commentators=dict(table.commentators),
        # Left out where nobody has joined or left the club of the table's tournament.
        members=UNSET if table.members == table.opened.members else sorted(table.members),
        former_members=sorted(table.former_members) or UNSET,
    )
    # The owner stays known when the other records go, or a former owner would not find that it is deposed.
    owned = () if table.owner is None else (Adopted(at_ms=now_ms, owner=table.owner),)
    return (table.opened, condensed, *owned)


def _describe_player(seat: Seat, player: SeatState) -> SeatedPlayer:
    assert player.user is not None, "a human seat has a user"
    return SeatedPlayer(
        seat=seat, user=player.user, name=player.name, claimed=player.claimed, nonce_hash=player.nonce_hash
    )


def _evolve_condensed(table: Table, record: Condensed) -> Table:
    """Restore a waiting table."""
    seats = [SeatState()] * len(table.seats)
    for sitter in record.sitters:
        seats[sitter.seat] = SeatState(
            name=sitter.name, user=sitter.user, claimed=sitter.claimed, nonce_hash=sitter.nonce_hash
        )
    return replace(
        table,
        seats=tuple(seats),
        host=record.host,
        admitted=frozenset(record.admitted),
        kicked=record.kicked,
        ready=frozenset(record.ready),
        since_ms=record.since_ms,
        acted_ms=record.acted_ms,
        host_acted_ms=record.host_acted_ms,
        countdown=None if record.until_ms is None else Countdown(record.until_ms, record.reason),
        redrawing=frozenset(record.redrawing),
        voided_ms=record.voided_ms,
        withheld=frozenset(record.withheld),
        commentators=record.commentators,
        members=table.members if record.members is UNSET else frozenset(record.members),
        former_members=frozenset() if record.former_members is UNSET else frozenset(record.former_members),
        recorded_events=History(map(RecordedEvent, record.events)),
        dropped=record.seq - len(record.events),
        age=0,
    )


def drop_old_events(table: Table) -> Table:
    """Drop the older events of a long wait."""
    if len(table.recorded_events) <= MOST_EVENTS:
        return table
    kept = table.recorded_events[-KEPT_EVENTS:]
    return replace(table, recorded_events=History(kept), dropped=table.seq - len(kept))


ACTION: Final = Action(evolvers={Condensed: _evolve_condensed})
