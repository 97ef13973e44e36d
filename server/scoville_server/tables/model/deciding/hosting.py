"""Kicks by the host, and transfers of the host's role."""

from collections.abc import Container

from msgspec.structs import replace

from scoville_server.tables.model.commands import Kick, Refused, ReplaceIdleHost, RestoreHost, TransferHost, Vote
from scoville_server.tables.model.deciding.verdict import Deciders, Decision, host_seat, no_such_seat
from scoville_server.tables.model.records import HostTransferred, Kicked, StartVoided
from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code
from scoville_shared.ids import Seat, UserId

MOST_KICKED = 100
"""Most users that a table kicks; a host who needs more wants a private table."""


def _kick(table: Table, command: Kick, now_ms: int) -> Decision:
    host = host_seat(table, table.seat_of(command.user), "kicks users")
    if isinstance(host, Refused):
        return host
    if command.whom == command.user:
        return Refused(Code.NOT_ALLOWED, "You cannot kick yourself; leave the table instead.")
    # Kicked already: nothing changes, so a request that is sent twice gets a success.
    if command.whom in table.kicked:
        return ()
    if len(table.kicked) >= MOST_KICKED:
        sentence = (
            f"{MOST_KICKED} users, the most allowed, have been kicked from this table; open a private table instead."
        )
        return Refused(Code.TOO_MANY, sentence)
    seat = table.owned_seat(command.whom)
    if seat is not None and table.status == "playing":
        sentence = "In a running game the host cannot kick a player; the other players can vote on it."
        return Refused(Code.VOTE_NEEDED, sentence, {"name": command.name})
    kicked = kicked_by(table, command, now_ms, user=command.whom, name=command.name, seat=seat, reason=command.reason)
    if table.revealing is not None and seat is not None:
        return StartVoided(at_ms=now_ms, missing=(seat,), reason="left"), kicked
    return (kicked,)


def kicked_by(
    table: Table, command: Kick | Vote, now_ms: int, *, user: UserId, name: str, seat: Seat | None, reason: str = ""
) -> Kicked:
    """Return the record of a kick; a private table gets the new code of the command."""
    kicked = Kicked(at_ms=now_ms, user=user, name=name, seat=seat, reason=reason, voted=isinstance(command, Vote))
    if not table.opened.settings.private:
        return kicked
    # The old code is known to the kicked user; players who are present stay admitted under the new one.
    return replace(kicked, code=command.code, admitted=tuple(sorted((table.admitted & command.present) - {user})))


def _transfer_host(table: Table, command: TransferHost, now_ms: int) -> Decision:
    host = host_seat(table, table.seat_of(command.user), "can make another player the host")
    if isinstance(host, Refused):
        return host
    if command.seat >= len(table.seats):
        return no_such_seat(table, command.seat)
    if not table.seats[command.seat].human:
        return Refused(Code.BAD_SEATS, f"Seat {command.seat} has no human player.", {"seat": command.seat})
    return () if command.seat == host else (HostTransferred(at_ms=now_ms, seat=Seat(command.seat)),)


def _replace_idle_host(table: Table, command: ReplaceIdleHost, now_ms: int) -> Decision:
    # Judged again here: the host may have acted after the timer sent the command.
    if table.status != "waiting" or table.host is None or now_ms - table.host_acted_ms < command.after_ms:
        return ()
    heir = _heir(table, table.host, command.here)
    return () if heir is None else (HostTransferred(at_ms=now_ms, seat=heir, reason="idle"),)


def _restore_host(table: Table, command: RestoreHost, now_ms: int) -> Decision:
    seat = table.seat_of(command.user)
    if table.status != "waiting" or seat is None or table.host in (None, seat):
        return ()
    return (HostTransferred(at_ms=now_ms, seat=seat, reason="returned"),)


def _heir(table: Table, host: Seat, here: Container[UserId]) -> Seat | None:
    """Find the next player clockwise from the host who is connected."""
    return next((seat for seat in table.clockwise_from(host) if table.seats[seat].user in here), None)


DECIDERS: Deciders = {
    Kick: _kick,
    TransferHost: _transfer_host,
    ReplaceIdleHost: _replace_idle_host,
    RestoreHost: _restore_host,
}
