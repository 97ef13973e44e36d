"""Joining a table: a free seat, or the user's own from the bot that keeps it."""

from collections.abc import Mapping
from functools import reduce
from typing import Final, TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from scoville_server.tables.actions.enter import refuse_entry
from scoville_server.tables.actions.pause import Resumed
from scoville_server.tables.actions.transfer_host import set_host
from scoville_server.tables.model.action import (
    Action,
    Command,
    Records,
    Refused,
    RepeatableRecord,
    refuse_unknown_seat,
    with_event,
)
from scoville_server.tables.model.records import Record, Reserved
from scoville_server.tables.model.table import MOST_STALLS, SeatState, Table
from scoville_shared.errors import Code
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol import messages as m

T = TypeVar("T")


class Join(Command, frozen=True, kw_only=True):
    """Take a seat: the given one, or any. For a player who is already seated, only their `nonce_hash` is taken.

    `claimed` says that the user owns their name.
    """

    user: UserId
    name: str
    claimed: bool = False
    seat: int | None = None
    nonce_hash: bytes = b""


class JoinTogether(Command, frozen=True, kw_only=True):
    """Seat several users, as far as there is room: quick matches wait for one write and not for one each."""

    joins: tuple[Join, ...]


class Joined(RepeatableRecord, frozen=True, kw_only=True, tag="joined"):
    """A user took a free seat, or their own back from the bot that kept it; `claimed`: they own their name."""

    user: UserId
    name: str
    claimed: bool = False
    nonce_hash: bytes = b""


class NonceReplaced(Record, frozen=True, kw_only=True, tag="nonce_replaced"):
    """A seated user committed to another nonce."""

    seat: Seat
    nonce_hash: bytes


def _decide_join(table: Table, command: Join, now_ms: int) -> Records | Refused:
    mine = table.seat_of(command.user)
    if mine is not None:
        # Joining twice is no error: a client that lost the reply sends it again, perhaps with another nonce.
        if command.seat in (None, mine):
            return _replace_nonce(table, mine, command, now_ms)
        return Refused(Code.SEAT_TAKEN, f"You already have seat {mine} at this table; leave it first.", {"seat": mine})
    seat = _choose_seat(table, command)
    if isinstance(seat, Refused):
        return seat
    joined = Joined(
        at_ms=now_ms,
        seat=seat,
        user=command.user,
        name=command.name,
        claimed=command.claimed,
        nonce_hash=command.nonce_hash,
    )
    # A game that all had left is paused; the first who comes back must not find it so.
    return (joined, Resumed(at_ms=now_ms, seat=seat)) if table.deserted else (joined,)


def _decide_join_together(table: Table, command: JoinTogether, now_ms: int) -> Records:
    """Decide each join at the table that the former ones leave; a refused one changes nothing for the others."""
    records: Records = ()
    for join in command.joins:
        decision = _decide_join(reduce(_evolve_seats, records, table), join, now_ms)
        if not isinstance(decision, Refused):
            records += decision
    return records


def _evolve_seats(table: Table, record: Record) -> Table:
    """Apply the effects of a join that the next one must know."""
    evolver = ACTION.evolvers.get(type(record))
    return table if evolver is None else evolver(table, record)


def _replace_nonce(table: Table, mine: Seat, command: Join, now_ms: int) -> Records:
    """Take the hash of a seated player's nonce, until the nonces are requested."""
    # From the request on a new hash could be chosen by the nonces that others reveal.
    settled = table.status != "waiting" or table.revealing is not None
    if settled or command.nonce_hash in (b"", table.seats[mine].nonce_hash):
        return ()
    return (NonceReplaced(at_ms=now_ms, seat=mine, nonce_hash=command.nonce_hash),)


def _choose_seat(table: Table, command: Join) -> Seat | Refused:
    """Find the seat that is kept for a user, whatever the access, or else a free one."""
    kept = table.kept_for(command.user)
    if kept is not None:
        return kept
    owned = table.owned_seat(command.user)
    if owned is not None and table.is_forfeited(owned):
        sentence = f"You have let your time run out {MOST_STALLS} times in this game; a bot plays your seat to the end."
        return Refused(Code.NOT_ALLOWED, sentence, {"why": "stalled", "most": MOST_STALLS})
    # A kept seat comes first: a code or ban of the table since then must not cost a player their game.
    return refuse_entry(table, command.user) or _choose_free_seat(table, command.user, command.seat)


def _choose_free_seat(table: Table, user: UserId, wanted: int | None) -> Seat | Refused:
    if table.status != "waiting" or table.revealing is not None:
        return Refused(Code.ALREADY_STARTED, "The game at this table has already started; you can watch it.")
    if table.opened.reserved is not UNSET:
        return _choose_reserved_seat(table.opened.reserved, user)
    free = table.free_seats
    if not free:
        return Refused(Code.TABLE_FULL, f"All {len(table.seats)} seats of this table are taken.")
    if wanted is None:
        return free[0]
    if wanted >= len(table.seats):
        return refuse_unknown_seat(table, wanted)
    if wanted not in free:
        name = table.seats[wanted].name
        return Refused(Code.SEAT_TAKEN, f"Seat {wanted} is taken by {name}.", {"seat": wanted, "name": name})
    return Seat(wanted)


def _choose_reserved_seat(reserved: Reserved, user: UserId) -> Seat | Refused:
    """Return the seat that a tournament keeps for a user, whichever they have asked for."""
    if user not in reserved.users:
        sentence = "The seats of this table are for the players of a tournament; you can watch it."
        return Refused(Code.NOT_ALLOWED, sentence, {"why": "reserved"})
    return Seat(reserved.users.index(user))


def _evolve_joined(table: Table, record: Joined) -> Table:
    seat_state = table.seats[record.seat]
    # The deal has settled the nonces of a running game: a player who returns keeps theirs.
    hashed, nonce = (seat_state.nonce_hash, seat_state.nonce) if seat_state.away else (record.nonce_hash, b"")
    taken = SeatState(name=record.name, user=record.user, claimed=record.claimed, nonce_hash=hashed, nonce=nonce)
    after = replace(
        table.with_seat(record.seat, taken),
        unseen=table.unseen - {record.seat},
        departures=_without_key(table.departures, record.seat),
        overruns=_without_key(table.overruns, record.seat),
    )
    # The first player ends the waiting time of an empty table, and begins that for further players.
    if table.since_ms is None:
        after = replace(after, since_ms=record.at_ms, acted_ms=record.at_ms)
    if table.host is None and not table.opened.settings.hostless:
        after = set_host(after, record.seat, record.at_ms)
    event = m.Joined(seq=table.seq + 1, seat=record.seat, name=record.name, claimed=record.claimed, host=after.host)
    return with_event(after, event)


def _without_key(by_seat: Mapping[Seat, T], seat: Seat) -> Mapping[Seat, T]:
    return {key: value for key, value in by_seat.items() if key != seat} if seat in by_seat else by_seat


def _evolve_nonce_replaced(table: Table, record: NonceReplaced) -> Table:
    after = table.with_seat(record.seat, replace(table.seats[record.seat], nonce_hash=record.nonce_hash))
    return replace(after, redrawing=table.redrawing - {record.seat})


ACTION: Final = Action(
    {Join: _decide_join, JoinTogether: _decide_join_together},
    {Joined: _evolve_joined, NonceReplaced: _evolve_nonce_replaced},
)
