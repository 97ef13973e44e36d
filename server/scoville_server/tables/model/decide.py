"""Commands are decided into records or a refusal; the table itself does not change."""

from functools import reduce

from scoville_server.tables.model.commands import Close, Command, Refused, Restart
from scoville_server.tables.model.deciding import (
    admission,
    countdown,
    ending,
    hosting,
    playing,
    revealing,
    seats,
    starting,
    voting,
)
from scoville_server.tables.model.deciding.limits import within_bounds
from scoville_server.tables.model.deciding.verdict import Deciders, Decision
from scoville_server.tables.model.evolve import evolve
from scoville_server.tables.model.records import AnyRecord, Restarted
from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code


def decide(table: Table, command: Command, now_ms: int) -> Decision:
    """Decide a command at the wall time `now_ms` (milliseconds since 1970).

    While a table waits, the returned records also start or cancel the countdown.

    Returns:
        The records to journal, empty if nothing changes, or a `Refused`.
    """
    if table.closed is not None:
        return () if isinstance(command, Close) else _closed(table, table.closed)
    decision = _DECIDERS[type(command)](table, command, now_ms)
    if isinstance(decision, Refused):
        return decision
    if table.status != "waiting":
        return within_bounds(table, _with_vote(table, decision, now_ms))
    # The only place that starts or cancels a countdown: it follows from who is seated, whatever the command was.
    return (*decision, *countdown.changes(reduce(evolve, decision, table), now_ms))


def _with_vote(table: Table, decision: tuple[AnyRecord, ...], now_ms: int) -> tuple[AnyRecord, ...]:
    """Add the end of a ballot that the decision leaves without a chance."""
    return decision if table.ballot is None else (*decision, *voting.settled(reduce(evolve, decision, table), now_ms))


def _closed(table: Table, reason: str) -> Refused:
    return Refused(Code.UNKNOWN_TABLE, f"This table is closed: {reason}", {"table": table.id, "reason": reason})


def _reopen(table: Table, command: Restart, now_ms: int) -> Decision:
    return (Restarted(at_ms=now_ms, alive_ms=command.alive_ms),) if table.ticking else ()


_DECIDERS: Deciders = {
    **admission.DECIDERS,
    **seats.DECIDERS,
    **hosting.DECIDERS,
    **starting.DECIDERS,
    **revealing.DECIDERS,
    **playing.DECIDERS,
    **voting.DECIDERS,
    **ending.DECIDERS,
    Restart: _reopen,
}
