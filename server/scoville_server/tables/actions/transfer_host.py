"""The host's role: given to another player, replaced while idle, restored."""

from collections.abc import Container
from typing import Final, Literal

from msgspec.structs import replace

from scoville_server.tables.model.action import (
    Action,
    Command,
    Records,
    Refused,
    RepeatableRecord,
    RequestedCommand,
    refuse_unknown_seat,
    require_host,
    with_event,
)
from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol import messages as m


class TransferHost(Command, frozen=True, kw_only=True):
    """Make the player at `seat` the host, at the host's request."""

    user: UserId
    seat: int


class ReplaceIdleHost(Command, frozen=True, kw_only=True):
    """Replace a host who has done nothing for `after_ms` by one of the connected players, `here`."""

    after_ms: int
    here: frozenset[UserId]


class RestoreHost(Command, frozen=True, kw_only=True):
    """Make the user who opened the table its host again, after they were replaced because they were idle."""

    user: UserId


class HostTransferred(RepeatableRecord, frozen=True, kw_only=True, tag="host_transferred"):
    """The player at `seat` became the host."""

    reason: Literal["given", "idle", "returned"] = "given"

    def causing_seat(self, before: Table) -> Seat | None:
        return before.host


def _decide_transfer_host(table: Table, command: TransferHost, now_ms: int) -> Records | Refused:
    host = require_host(table, table.seat_of(command.user), "can make another player the host")
    if isinstance(host, Refused):
        return host
    if command.seat >= len(table.seats):
        return refuse_unknown_seat(table, command.seat)
    if not table.seats[command.seat].human:
        return Refused(Code.BAD_SEATS, f"Seat {command.seat} has no human player.", {"seat": command.seat})
    return () if command.seat == host else (HostTransferred(at_ms=now_ms, seat=Seat(command.seat)),)


def _decide_replace_idle_host(table: Table, command: ReplaceIdleHost, now_ms: int) -> Records:
    # Judged again here: the host may have acted after the timer sent the command.
    if table.status != "waiting" or table.host is None or now_ms - table.host_acted_ms < command.after_ms:
        return ()
    heir = _find_heir(table, table.host, command.here)
    return () if heir is None else (HostTransferred(at_ms=now_ms, seat=heir, reason="idle"),)


def _find_heir(table: Table, host: Seat, here: Container[UserId]) -> Seat | None:
    """Find the next player clockwise from the host who is connected."""
    return next((seat for seat in table.clockwise_from(host) if table.seats[seat].user in here), None)


def _decide_restore_host(table: Table, command: RestoreHost, now_ms: int) -> Records:
    seat = table.seat_of(command.user)
    if table.status != "waiting" or seat is None or table.host in (None, seat):
        return ()
    return (HostTransferred(at_ms=now_ms, seat=seat, reason="returned"),)


def _evolve_host_transferred(table: Table, record: HostTransferred) -> Table:
    # Only a host who gives the role away has acted; the other reasons are that the host has not.
    acted_ms = record.at_ms if record.reason == "given" else table.acted_ms
    after = replace(set_host(table, record.seat, record.at_ms), acted_ms=acted_ms)
    return with_event(after, m.HostTransferred(seq=table.seq + 1, host=record.seat, reason=record.reason))


def set_host(table: Table, seat: Seat | None, at_ms: int) -> Table:
    """Give the role to a seat; who gets it counts as having acted then."""
    return replace(table, host=seat, host_acted_ms=at_ms)


def pass_host_on(table: Table, left: Seat, at_ms: int) -> Table:
    """Make the next player clockwise from an empty seat the host; without players there is none."""
    return set_host(table, next((seat for seat in table.clockwise_from(left) if table.seats[seat].human), None), at_ms)


ACTION: Final = Action(
    {
        TransferHost: _decide_transfer_host,
        ReplaceIdleHost: _decide_replace_idle_host,
        RestoreHost: _decide_restore_host,
    },
    {HostTransferred: _evolve_host_transferred},
    requests={m.TransferHostRequest: RequestedCommand(lambda user, p: TransferHost(user=user, seat=p.seat))},
)
