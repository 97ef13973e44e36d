"""Kicks by the host, and transfers of the host's role."""

from collections.abc import Container

from msgspec.structs import replace

from scoville_server.tables.model.commands import Kick, Refused, ReplaceIdleHost, TransferHost, Vote
from scoville_server.tables.model.deciding.verdict import Deciders, Decision, host_seat, no_such_seat
from scoville_server.tables.model.records import HostTransferred, Kicked, StartVoided
from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code
from scoville_shared.ids import Seat, UserId

MOST_KICKED = 100
"""Most users that a table kicks; a host who needs more wants a private table."""


def _kick(table: Table, wish: Kick, now_ms: int) -> Decision:
    host = host_seat(table, table.seat_of(wish.user), "kicks users")
    if isinstance(host, Refused):
        return host
    if wish.whom == wish.user:
        return Refused(Code.NOT_ALLOWED, "You cannot kick yourself; leave the table instead.")
    if wish.whom in table.kicked:
        return ()
    if len(table.kicked) >= MOST_KICKED:
        sentence = (
            f"{MOST_KICKED} users, the most allowed, have been kicked from this table; open a private table instead."
        )
        return Refused(Code.TOO_MANY, sentence)
    seat = table.place_of(wish.whom)
    if seat is not None and table.status == "playing":
        sentence = "In a running game the host cannot kick a player; the other players can vote on it."
        return Refused(Code.VOTE_NEEDED, sentence, {"name": wish.name})
    kicked = kicked_by(table, wish, now_ms, user=wish.whom, name=wish.name, seat=seat, reason=wish.reason)
    if table.revealing is not None and seat is not None:
        return StartVoided(at_ms=now_ms, missing=(seat,), reason="left"), kicked
    return (kicked,)


def kicked_by(
    table: Table, wish: Kick | Vote, now_ms: int, *, user: UserId, name: str, seat: Seat | None, reason: str = ""
) -> Kicked:
    """Return the record of a kick; a private table gets the new code of the command."""
    kicked = Kicked(at_ms=now_ms, user=user, name=name, seat=seat, reason=reason, voted=isinstance(wish, Vote))
    if not table.opened.settings.private:
        return kicked
    return replace(kicked, code=wish.code, admitted=tuple(sorted((table.admitted & wish.present) - {user})))


def _transfer_host(table: Table, wish: TransferHost, now_ms: int) -> Decision:
    host = host_seat(table, table.seat_of(wish.user), "can make another player the host")
    if isinstance(host, Refused):
        return host
    if wish.seat >= len(table.seats):
        return no_such_seat(table, wish.seat)
    if not table.seats[wish.seat].human:
        return Refused(Code.BAD_SEATS, f"Seat {wish.seat} has no human player.", {"seat": wish.seat})
    return () if wish.seat == host else (HostTransferred(at_ms=now_ms, seat=Seat(wish.seat)),)


def _replace_idle_host(table: Table, wish: ReplaceIdleHost, now_ms: int) -> Decision:
    if table.status != "waiting" or table.host is None or now_ms - table.host_acted_ms < wish.after_ms:
        return ()
    heir = _heir(table, table.host, wish.here)
    return () if heir is None else (HostTransferred(at_ms=now_ms, seat=heir, reason="idle"),)


def _heir(table: Table, host: Seat, here: Container[UserId]) -> Seat | None:
    """Find the next player clockwise from the host who is connected."""
    return next((seat for seat in table.clockwise_from(host) if table.seats[seat].user in here), None)


DECIDERS: Deciders = {Kick: _kick, TransferHost: _transfer_host, ReplaceIdleHost: _replace_idle_host}
