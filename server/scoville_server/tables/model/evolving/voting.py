"""Votes on a kick, and ballots that end without one."""

from typing import Final

from scoville_server.tables.model import records as r
from scoville_server.tables.model.evolving.events import Evolvers, changed, with_event
from scoville_server.tables.model.table import Ballot, Table
from scoville_shared.protocol import messages as m

VOTE_WAIT_MS: Final = 300_000
"""Milliseconds after a failed ballot in which its opener opens no other one, and nobody one on the same player."""


def _voted(table: Table, record: r.Voted) -> Table:
    ballot = table.ballot or Ballot(against=record.against, until_ms=record.until_ms, needed=record.needed)
    if record.agree:
        ballot = changed(ballot, agreed=(*ballot.agreed, record.seat))
    else:
        ballot = changed(ballot, refused=(*ballot.refused, record.seat))
    event = m.Voted(seq=table.seq + 1, seat=record.seat, agree=record.agree, vote=ballot_info(ballot, record.at_ms))
    return with_event(changed(table, ballot=ballot, acted_ms=record.at_ms), event)


def _vote_ended(table: Table, record: r.VoteEnded) -> Table:
    assert table.ballot is not None, "only a ballot that is open ends"
    until_ms = record.at_ms + VOTE_WAIT_MS
    after = changed(
        table,
        ballot=None,
        vote_waits={**table.vote_waits, table.ballot.agreed[0]: until_ms},
        vote_shields={**table.vote_shields, record.against: until_ms},
    )
    return with_event(after, m.VoteEnded(seq=table.seq + 1, against=record.against, reason=record.reason))


def ballot_info(ballot: Ballot, now_ms: int) -> m.VoteInfo:
    """Describe a ballot as the protocol does."""
    return m.VoteInfo(
        against=ballot.against,
        agreed=[*ballot.agreed],
        refused=[*ballot.refused],
        needed=ballot.needed,
        ends_in_ms=max(0, ballot.until_ms - now_ms),
    )


EVOLVERS: Evolvers = {r.Voted: _voted, r.VoteEnded: _vote_ended}
