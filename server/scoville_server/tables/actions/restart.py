"""The server's restart: clocks and waits go on, and its down time counts for nobody; nodes adopt their tables."""

from typing import Final

from msgspec.structs import replace

from scoville_server.nodes.members import Incarnation
from scoville_server.tables.actions.start import REVEAL_MS
from scoville_server.tables.actions.vote import VOTE_MS
from scoville_server.tables.model import clock
from scoville_server.tables.model.action import Action, Command, Records
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import Table

MOST_HELD_MS: Final = 1_000
"""How long a move of a table may take that nobody need notice: several times what one takes on a busy machine."""


class Restart(Command, frozen=True, kw_only=True):
    """Continue the clocks after a restart, and adopt the table as its `owner`, if it has one.

    `alive_ms` is when the server was last known to run (milliseconds since 1970). If it `was_held` from then on, its
    former owner hands it over.
    """

    alive_ms: int | None = None
    owner: Incarnation | None = None
    was_held: bool = False


class CatchUp(Command, frozen=True, kw_only=True):
    """Change nothing; before it, an actor that doubts its table reads it back."""


class Restarted(Record, frozen=True, kw_only=True, tag="restarted"):
    """The server is running again: the clocks continue, and its down time counts for nobody.

    The server is known to have run until `alive_ms`, so thinking time passed until then; None means until the
    previous record.
    """

    alive_ms: int | None = None


class Adopted(Record, frozen=True, kw_only=True, tag="adopted"):
    """A node owns the table from now on: the first record that it writes to a table.

    An owner whose append is refused finds it when it reads, and ends. A server alone adopts nothing.
    """

    owner: Incarnation


def _decide_restart(table: Table, command: Restart, now_ms: int) -> Records:
    # All connections go on as well where a table moves: a countdown, a ballot or a reveal that began again would give
    # its players time that they do not need, and tell them that something has happened.
    is_noticed = not command.was_held or now_ms - (command.alive_ms or 0) > MOST_HELD_MS
    restarted = (Restarted(at_ms=now_ms, alive_ms=command.alive_ms),) if table.has_timers and is_noticed else ()
    if command.owner is None or command.owner == table.owner:
        return restarted
    # Last: thinking time passes up to each record, and that of the restart says how much.
    return (*restarted, Adopted(at_ms=now_ms, owner=command.owner))


def _evolve_adopted(table: Table, record: Adopted) -> Table:
    return replace(table, owner=record.owner)


def _evolve_restarted(table: Table, record: Restarted) -> Table:
    """Restart the waits, the countdown and a ballot: players may need the time to reconnect."""
    # Cancelled: the same decision starts the countdown again, with its whole length.
    revealing, ballot = table.revealing, table.ballot
    return replace(
        table,
        since_ms=None if table.since_ms is None else record.at_ms,
        countdown=None,
        revealing=None if revealing is None else replace(revealing, until_ms=record.at_ms + REVEAL_MS),
        ballot=None if ballot is None else replace(ballot, until_ms=record.at_ms + VOTE_MS),
        paused_since_ms=record.at_ms if table.paused else table.paused_since_ms,
    )


def _skip_down_time(_: Table, clocks: clock.Clocks, record: Restarted) -> clock.Clocks:
    if record.alive_ms is not None:
        clocks = clock.let_time_pass(clocks, min(record.alive_ms, record.at_ms))
    return clock.skip_time(clocks, record.at_ms)


ACTION: Final = Action(
    {Restart: _decide_restart, CatchUp: lambda _table, _command, _now_ms: ()},
    {Restarted: _evolve_restarted, Adopted: _evolve_adopted},
    {Restarted: _skip_down_time},
)
