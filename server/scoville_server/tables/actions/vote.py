"""Votes on kicking a player from a running game.

A host who could kick in a running game won rating by it, so the other players decide: more than half of them and at
least two, so with two players there is no vote. The game stays rated, and its voters are placed last (decision 004).
"""

from typing import Final, Literal

from msgspec.structs import replace

from scoville_server.errors import slow_down
from scoville_server.tables.actions.kick import CommandToKick, Kicked, with_new_code
from scoville_server.tables.model.action import (
    Action,
    Command,
    Records,
    Refused,
    RepeatableRecord,
    refuse_unknown_seat,
    refuse_unless_running,
    refuse_unseated,
    with_event,
)
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import Ballot, Table
from scoville_shared.errors import Code
from scoville_shared.ids import Seat
from scoville_shared.protocol import messages as m

FEWEST_VOTES: Final = 2
"""Least votes for a kick: nobody can kick anybody alone."""

VOTE_MS: Final = 60_000
"""Milliseconds of a ballot: enough to notice it and think about it, and over before it disturbs the game."""

VOTE_WAIT_MS: Final = 300_000
"""Milliseconds after a failed ballot in which its opener opens no other one, and nobody one on the same player."""

VoteEnd = Literal["rejected", "expired", "left"]
"""Why a ballot ended without a kick: too many votes against it, its time is over, or the player has left the seat."""


class Vote(CommandToKick, frozen=True, kw_only=True):
    """Vote on kicking the player at the seat `against` from a running game; the first vote opens the ballot.

    The vote that decides is a kick.
    """

    against: int
    agree: bool = True


class ExpireVote(Command, frozen=True):
    """End the ballot whose time is over."""


class Voted(RepeatableRecord, frozen=True, kw_only=True, tag="voted"):
    """The player at `seat` voted on kicking the player at `against`.

    The first vote opens the ballot, which ends at `until_ms` and needs so many votes (`needed`).
    """

    against: Seat
    agree: bool
    until_ms: int
    needed: int


class VoteEnded(Record, frozen=True, kw_only=True, tag="vote_ended"):
    """The ballot on the player at `against` ended without a kick."""

    against: Seat
    reason: VoteEnd


def settle_ballot(table: Table, now_ms: int) -> Records:
    """Return the end of a ballot that cannot succeed any more: its player has left, or too few can still agree."""
    ballot = table.ballot
    if ballot is None or not table.running:
        return ()
    if ballot.against not in table.human_seats:
        return (_end_ballot(ballot, "left", now_ms),)
    # Those who have agreed, or may still agree.
    hopes = table.human_seats - {ballot.against, *ballot.refused}
    return (_end_ballot(ballot, "rejected", now_ms),) if len(hopes) < ballot.needed else ()


def _decide_vote(table: Table, command: Vote, now_ms: int) -> Records | Refused:
    seat = table.seat_of(command.user)
    if seat is None:
        return refuse_unseated(table)
    refused = refuse_unless_running(table, "Players vote in a running game; before it the host kicks.")
    if refused is not None:
        return refused
    if command.against >= len(table.seats):
        return refuse_unknown_seat(table, command.against)
    against = Seat(command.against)
    ballot = table.ballot or _open_ballot(table, seat, against, command, now_ms)
    if isinstance(ballot, Refused):
        return ballot
    return _refuse_vote(table, ballot, seat, against) or _count_vote(table, ballot, seat, command, now_ms)


def _open_ballot(table: Table, seat: Seat, against: Seat, command: Vote, now_ms: int) -> Ballot | Refused:
    """Return a new ballot, or why there is none."""
    if not command.agree:
        return Refused(Code.NO_VOTE, "There is no vote on this player.", {"seat": against})
    if not table.seats[against].human:
        return Refused(Code.BAD_SEATS, f"No user plays at seat {against}.", {"seat": against})
    voters = table.human_seats - {against}
    if len(voters) < FEWEST_VOTES:
        sentence = f"A kick needs the votes of {FEWEST_VOTES} other players."
        return Refused(Code.TOO_FEW_VOTERS, sentence, {"needed": FEWEST_VOTES})
    # By seat and by target, so that neither one player nor several in turn can put the same one to the vote for ever.
    waits_ms = max(table.vote_waits.get(seat, 0), table.vote_shields.get(against, 0)) - now_ms
    if waits_ms > 0:
        early = slow_down("A vote has just failed", waits_ms / 1000)
        return Refused(early.code, early.message, early.data)
    return Ballot(against=against, until_ms=now_ms + VOTE_MS, needed=max(FEWEST_VOTES, len(voters) // 2 + 1))


def _refuse_vote(table: Table, ballot: Ballot, seat: Seat, against: Seat) -> Refused | None:
    if ballot.against != against:
        name = table.seats[ballot.against].name
        return Refused(Code.VOTE_RUNNING, f"There is a vote on {name} already; wait for its end.", {"name": name})
    if seat == against:
        return Refused(Code.NO_VOTE, "You cannot vote on yourself.", {"seat": against})
    if seat in (*ballot.agreed, *ballot.refused):
        return Refused(Code.ALREADY_VOTED, "You have voted already.")
    return None


def _count_vote(table: Table, ballot: Ballot, seat: Seat, command: Vote, now_ms: int) -> Records:
    """Return a vote, with the kick if it decides."""
    voted = Voted(
        at_ms=now_ms,
        seat=seat,
        against=ballot.against,
        agree=command.agree,
        until_ms=ballot.until_ms,
        needed=ballot.needed,
    )
    # Votes of players who have left since do not count.
    # Decision 004: more than half of the others must agree, so a host cannot kick the leading player alone.
    agreed = table.human_seats.intersection(ballot.agreed) | ({seat} if command.agree else frozenset())
    if len(agreed) < ballot.needed:
        return (voted,)
    player = table.seats[ballot.against]
    assert player.user is not None, "a ballot ends when its player leaves"
    kicked = Kicked(at_ms=now_ms, user=player.user, name=player.name, seat=ballot.against, reason="", voted=True)
    return voted, with_new_code(table, kicked, command)


def _decide_expire_vote(table: Table, _: ExpireVote, now_ms: int) -> Records:
    ballot = table.ballot
    # A timer may ring early, and the vote may have ended while its command waited.
    return () if ballot is None or now_ms < ballot.until_ms else (_end_ballot(ballot, "expired", now_ms),)


def _end_ballot(ballot: Ballot, reason: VoteEnd, now_ms: int) -> VoteEnded:
    return VoteEnded(at_ms=now_ms, against=ballot.against, reason=reason)


def _evolve_voted(table: Table, record: Voted) -> Table:
    ballot = table.ballot or Ballot(against=record.against, until_ms=record.until_ms, needed=record.needed)
    if record.agree:
        ballot = replace(ballot, agreed=(*ballot.agreed, record.seat))
    else:
        ballot = replace(ballot, refused=(*ballot.refused, record.seat))
    event = m.Voted(seq=table.seq + 1, seat=record.seat, agree=record.agree, vote=describe_ballot(ballot, record.at_ms))
    return with_event(replace(table, ballot=ballot, acted_ms=record.at_ms), event)


def _evolve_vote_ended(table: Table, record: VoteEnded) -> Table:
    assert table.ballot is not None, "only a ballot that is open ends"
    until_ms = record.at_ms + VOTE_WAIT_MS
    after = replace(
        table,
        ballot=None,
        vote_waits={**table.vote_waits, table.ballot.agreed[0]: until_ms},
        vote_shields={**table.vote_shields, record.against: until_ms},
    )
    return with_event(after, m.VoteEnded(seq=table.seq + 1, against=record.against, reason=record.reason))


def describe_ballot(ballot: Ballot, now_ms: int) -> m.VoteInfo:
    """Describe a ballot as the protocol does."""
    return m.VoteInfo(
        against=ballot.against,
        agreed=[*ballot.agreed],
        refused=[*ballot.refused],
        needed=ballot.needed,
        ends_in_ms=max(0, ballot.until_ms - now_ms),
    )


ACTION: Final = Action(
    {Vote: _decide_vote, ExpireVote: _decide_expire_vote},
    {Voted: _evolve_voted, VoteEnded: _evolve_vote_ended},
)
