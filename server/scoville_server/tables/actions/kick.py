"""Kicks by the host, before the game; in a running one the players vote."""

from typing import Final

from msgspec.structs import replace

from scoville_server.tables.actions.leave import remove_player
from scoville_server.tables.actions.void_start import void_if_left
from scoville_server.tables.model.action import Action, Command, Records, Refused, require_host, with_event
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol import messages as m

MOST_KICKED: Final = 100
"""Most users that a table kicks; a host who needs more wants a private table."""


class CommandToKick(Command, frozen=True, kw_only=True):
    """Base of commands that may kick: `code` is the new code of a private table.

    Of its admitted users only those who are `present` stay admitted.
    """

    user: UserId
    code: str = ""
    present: frozenset[UserId] = frozenset()


class Kick(CommandToKick, frozen=True, kw_only=True):
    """Kick the user `whom`, called `name`, from their seat or as a spectator, at the host's request."""

    whom: UserId
    name: str
    reason: str = ""


class Kicked(Record, frozen=True, kw_only=True, tag="kicked"):
    """A user was kicked for good: from `seat`, which is free again or stays a bot's, or as a spectator.

    The host did it, or in a running game the other players, who `voted`. A private table has a new `code` from then
    on, and of the users who were let in by the old one only those in `admitted` stay so.
    """

    user: UserId
    name: str
    seat: Seat | None
    reason: str
    voted: bool = False
    code: str = ""
    admitted: tuple[UserId, ...] = ()


def _decide_kick(table: Table, command: Kick, now_ms: int) -> Records | Refused:
    host = require_host(table, table.seat_of(command.user), "kicks users")
    if isinstance(host, Refused):
        return host
    if command.whom == command.user:
        return Refused(Code.NOT_ALLOWED, "You cannot kick yourself; leave the table instead.", {"why": "yourself"})
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
    kicked = Kicked(at_ms=now_ms, user=command.whom, name=command.name, seat=seat, reason=command.reason)
    return *void_if_left(table, seat, now_ms), with_new_code(table, kicked, command)


def with_new_code(table: Table, kicked: Kicked, command: CommandToKick) -> Kicked:
    """Add the new code of a private table: the kicked user knows the old one."""
    if not table.opened.settings.private:
        return kicked
    # Players who are present stay admitted under the new code.
    admitted = tuple(sorted((table.admitted & command.present) - {kicked.user}))
    return replace(kicked, code=command.code, admitted=admitted)


def _evolve_kicked(table: Table, record: Kicked) -> Table:
    """Remove a user. In a running game a bot takes over under the player's name: the player stays in the result."""
    after = table if record.seat is None else remove_player(table, record.seat, record.at_ms)
    after = replace(
        after,
        kicked={**table.kicked, record.user: record.reason},
        admitted=frozenset(record.admitted) if record.code else table.admitted - {record.user},
        acted_ms=record.at_ms,
        host_acted_ms=record.at_ms,
    )
    # Decision 004: the result counts who was voted out, and by whose votes.
    if record.voted and record.seat is not None:
        agreed = frozenset() if table.ballot is None else frozenset(table.ballot.agreed)
        after = replace(after, ballot=None, voted_out=table.voted_out | {record.seat}, voters=table.voters | agreed)
    if record.code:
        after = replace(after, opened=replace(table.opened, code=record.code))
    event = m.Kicked(
        seq=table.seq + 1,
        seat=record.seat,
        name=record.name,
        reason=record.reason or None,
        host=after.host,
        voted=record.voted,
        code_changed=bool(record.code),
    )
    return with_event(after, event)


ACTION: Final = Action({Kick: _decide_kick}, {Kicked: _evolve_kicked})
