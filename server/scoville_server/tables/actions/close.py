"""The server's actions at the end of a table: it closes one, and unseals the game of a shared deal."""

from typing import Final, Literal

from msgspec.structs import replace

from scoville_server.tables.model.action import Action, Command, Records, Refused, with_event
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import Table, is_sealed
from scoville_shared.errors import Code
from scoville_shared.protocol import messages as m

Cause = Literal["", "admin", "moved", "idle", "deserted", "unused", "time_over", "game_failed"]
"""Why the server itself closes a table; empty for the words of an admin."""


class Close(Command, frozen=True, kw_only=True):
    """Close the table on behalf of the server, with a `reason` in plain words."""

    reason: str
    cause: Cause = ""


class Closed(Record, frozen=True, kw_only=True, tag="closed", omit_defaults=True):
    """The server closed the table, with a reason in plain words."""

    reason: str
    cause: str = ""


class Unseal(Command, frozen=True, kw_only=True):
    """Show the game of a shared deal as any other one: all its players have played it by now."""


class Unsealed(Record, frozen=True, kw_only=True, tag="unsealed"):
    """All players have played the shared deal, so its seed and this game are no secret any more."""


def refuse_closed(table: Table, reason: str) -> Refused:
    return Refused(Code.UNKNOWN_TABLE, f"This table is closed: {reason}", {"table": table.id, "reason": reason})


def _decide_close(_: Table, command: Close, now_ms: int) -> Records:
    return (Closed(at_ms=now_ms, reason=command.reason, cause=command.cause),)


def _evolve_closed(table: Table, record: Closed) -> Table:
    after = replace(table, closed=record.reason, countdown=None, revealing=None, ballot=None)
    return with_event(after, m.Closed(seq=table.seq + 1, reason=record.reason, cause=record.cause or None))


def _decide_unseal(table: Table, _: Unseal, now_ms: int) -> Records:
    return (Unsealed(at_ms=now_ms),) if is_sealed(table) else ()


def _evolve_unsealed(table: Table, _: Unsealed) -> Table:
    return replace(table, unsealed=True)


ACTION: Final = Action(
    {Close: _decide_close, Unseal: _decide_unseal}, {Closed: _evolve_closed, Unsealed: _evolve_unsealed}
)
