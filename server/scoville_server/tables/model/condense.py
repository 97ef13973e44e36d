"""Condensing of waiting tables: one record replaces a history that users could make longer without end."""

from functools import reduce
from typing import Final

from scoville_server.tables.model.evolve import evolve, opened_table
from scoville_server.tables.model.evolving.counts import KEPT_EVENTS
from scoville_server.tables.model.records import AnyRecord, Condensed, Created, SeatedPlayer
from scoville_server.tables.model.table import Table
from scoville_shared.ids import Seat

Records = tuple[AnyRecord, ...]

AFTER: Final = 200
"""Number of records after which a waiting table is condensed; few tables ever have so many."""


def too_long(table: Table) -> bool:
    """Whether a table's records should be condensed. Those of a running game are all needed to replay it."""
    return table.age >= AFTER and table.status == "waiting" and table.revealing is None and table.closed is None


def condensed(table: Table, now_ms: int, kept: int = KEPT_EVENTS) -> tuple[Created, Condensed]:
    """Return the records that restore a waiting table as it is, with at most `kept` of its newest events."""
    countdown = table.countdown
    return table.opened, Condensed(
        at_ms=now_ms,
        seq=table.seq,
        events=[recorded.event for recorded in table.recorded_events[-kept:]],
        sitters=[_sitter(table, seat) for seat in sorted(table.human_seats)],
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
    )


def shortened(records: Records, after: Table, now_ms: int) -> tuple[Records, Table]:
    """Choose what the journal keeps of a change that led to `after`: its records, or the condensed table."""
    if not too_long(after):
        return records, after
    short = condensed(after, now_ms)
    return short, remade(after, short)


def remade(table: Table, records: Records) -> Table:
    """Restore a table from its condensed records, exactly as a restart does."""
    opened, *rest = records
    assert isinstance(opened, Created), "the first record of a table opens it"
    return reduce(evolve, rest, opened_table(table.game, opened))


def _sitter(table: Table, seat: Seat) -> SeatedPlayer:
    seat_state = table.seats[seat]
    assert seat_state.user is not None, "a human seat has a user"
    return SeatedPlayer(
        seat=seat,
        user=seat_state.user,
        name=seat_state.name,
        claimed=seat_state.claimed,
        nonce_hash=seat_state.nonce_hash,
    )
