"""Joining and leaving a seat."""

from functools import reduce

from scoville_server.tables.model.commands import Join, JoinTogether, Leave, Refused
from scoville_server.tables.model.deciding.admission import entry_refusal
from scoville_server.tables.model.deciding.verdict import Deciders, Decision, no_such_seat, not_seated
from scoville_server.tables.model.evolve import evolve
from scoville_server.tables.model.records import AnyRecord, Joined, Left, NonceReplaced, Paused, Resumed, StartVoided
from scoville_server.tables.model.table import MOST_STALLS, Table
from scoville_shared.errors import Code
from scoville_shared.ids import Seat


def _join(table: Table, command: Join, now_ms: int) -> Decision:
    mine = table.seat_of(command.user)
    if mine is not None:
        # Joining twice is no error: a client that lost the reply sends it again, perhaps with another nonce.
        return _share(table, mine, command, now_ms) if command.seat in (None, mine) else _sits_already(mine)
    seat = _seat_for(table, command)
    if isinstance(seat, Refused):
        return seat
    taken = Joined(
        at_ms=now_ms,
        seat=seat,
        user=command.user,
        name=command.name,
        claimed=command.claimed,
        nonce_hash=command.nonce_hash,
    )
    # A game that all had left is paused; the first who comes back must not find it so.
    return (taken, Resumed(at_ms=now_ms, seat=seat)) if table.deserted else (taken,)


def _join_together(table: Table, command: JoinTogether, now_ms: int) -> Decision:
    """Decide each join at the table that the former ones leave; who cannot join changes nothing for the others."""
    records: tuple[AnyRecord, ...] = ()
    for join in command.joins:
        # Each join sees the seats that the earlier ones have taken.
        decision = _join(reduce(evolve, records, table), join, now_ms)
        if not isinstance(decision, Refused):
            records += decision
    return records


def _share(table: Table, mine: Seat, command: Join, now_ms: int) -> Decision:
    """Take the hash of a seated player's nonce, until the nonces are requested."""
    # From the request on a new hash could be chosen by what others reveal.
    settled = table.status != "waiting" or table.revealing is not None
    if settled or command.nonce_hash in (b"", table.seats[mine].nonce_hash):
        return ()
    return (NonceReplaced(at_ms=now_ms, seat=mine, nonce_hash=command.nonce_hash),)


def _sits_already(seat: Seat) -> Refused:
    return Refused(Code.SEAT_TAKEN, f"You already have seat {seat} at this table; leave it first.", {"seat": seat})


def _seat_for(table: Table, command: Join) -> Seat | Refused:
    """Find the seat that is kept for a user, whatever the access, or else a free one."""
    kept = table.kept_for(command.user)
    if kept is not None:
        return kept
    owned = table.owned_seat(command.user)
    if owned is not None and table.stalls.get(owned, 0) >= MOST_STALLS:
        sentence = f"You have let your time run out {MOST_STALLS} times in this game; a bot plays your seat to the end."
        return Refused(Code.NOT_ALLOWED, sentence)
    # A kept seat came first: a code or ban of the table since then must not cost a player their game.
    return entry_refusal(table, command.user) or _free_seat(table, command.seat)


def _free_seat(table: Table, wanted: int | None) -> Seat | Refused:
    if table.status != "waiting" or table.revealing is not None:
        return Refused(Code.ALREADY_STARTED, "The game at this table has already started; you can watch it.")
    free = table.free
    if not free:
        return Refused(Code.TABLE_FULL, f"All {len(table.seats)} seats of this table are taken.")
    if wanted is None:
        return free[0]
    if wanted >= len(table.seats):
        return no_such_seat(table, wanted)
    if wanted not in free:
        name = table.seats[wanted].name
        return Refused(Code.SEAT_TAKEN, f"Seat {wanted} is taken by {name}.", {"seat": wanted, "name": name})
    return Seat(wanted)


def _leave(table: Table, command: Leave, now_ms: int) -> Decision:
    seat = table.seat_of(command.user)
    if seat is None:
        return not_seated(table)
    excused = _is_excused(table, seat, now_ms - command.gone_ms)
    left = Left(at_ms=now_ms, seat=seat, reason=command.reason, excused=excused)
    if table.revealing is not None:
        # The start is void, because the deal would need a nonce whose player is gone.
        return StartVoided(at_ms=now_ms, missing=(seat,), reason="left"), left
    if command.reason == "left" and table.running and not table.paused and table.human_seats == {seat}:
        return Paused(at_ms=now_ms, seat=seat), left  # bots alone would play to the end at once
    return (left,)


def _is_excused(table: Table, seat: Seat, gone_ms: int) -> bool:
    """Whether a player who is gone since `gone_ms` (milliseconds since 1970) may leave a rated game as if they stayed.

    They may if all others had gone before, or if another one has let the time run out and not moved since: else whoever
    is losing would wait until the others lose their patience. Players whose connections are lost together are not
    excused.
    """
    if not (table.running and table.rated):
        return False
    others = [Seat(n) for n in range(len(table.seats)) if n != seat]
    alone = all(
        not table.seats[other].human and (other not in table.departures or table.departures[other].at_ms <= gone_ms)
        for other in others
    )
    return alone or any(table.overruns.get(other, 0) for other in others)


DECIDERS: Deciders = {Join: _join, JoinTogether: _join_together, Leave: _leave}
