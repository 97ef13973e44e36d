"""Votes on kicking a player from a running game.

A host who could kick in a running game won rating by it, so the other players decide: more than half of them and at
least two, so with two players there is no vote. The game stays rated, and its voters are placed last (decision 004).
"""

from typing import Final

from scoville_server.errors import slow_down
from scoville_server.tables.model.commands import ExpireVote, Refused, Vote
from scoville_server.tables.model.deciding.hosting import kicked_by
from scoville_server.tables.model.deciding.verdict import Deciders, Decision, no_such_seat, not_seated
from scoville_server.tables.model.records import AnyRecord, Voted, VoteEnd, VoteEnded
from scoville_server.tables.model.table import VOTE_MS, Ballot, Table
from scoville_shared.errors import Code
from scoville_shared.ids import Seat

FEWEST_VOTES: Final = 2
"""Least votes for a kick: nobody can kick anybody alone."""


def settled(table: Table, now_ms: int) -> tuple[AnyRecord, ...]:
    """Return the end of a ballot that cannot succeed any more: its player has left, or too few can still agree."""
    ballot = table.ballot
    if ballot is None or not table.running:
        return ()
    if ballot.against not in table.human_seats:
        return (_ended(ballot, "left", now_ms),)
    return (_ended(ballot, "rejected", now_ms),) if len(_hopes(table, ballot)) < ballot.needed else ()


def _vote(table: Table, command: Vote, now_ms: int) -> Decision:
    seat = table.seat_of(command.user)
    if seat is None:
        return not_seated(table)
    if table.status != "playing":
        return _not_now(table)
    if command.against >= len(table.seats):
        return no_such_seat(table, command.against)
    against = Seat(command.against)
    ballot = table.ballot or _opened(table, seat, against, command, now_ms)
    if isinstance(ballot, Refused):
        return ballot
    return _refusal(table, ballot, seat, against) or _counted(table, ballot, seat, command, now_ms)


def _opened(table: Table, seat: Seat, against: Seat, command: Vote, now_ms: int) -> Ballot | Refused:
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


def _refusal(table: Table, ballot: Ballot, seat: Seat, against: Seat) -> Refused | None:
    if ballot.against != against:
        name = table.seats[ballot.against].name
        return Refused(Code.VOTE_RUNNING, f"There is a vote on {name} already; wait for its end.", {"name": name})
    if seat == against:
        return Refused(Code.NO_VOTE, "You cannot vote on yourself.", {"seat": against})
    if seat in (*ballot.agreed, *ballot.refused):
        return Refused(Code.ALREADY_VOTED, "You have voted already.")
    return None


def _counted(table: Table, ballot: Ballot, seat: Seat, command: Vote, now_ms: int) -> Decision:
    """Return a vote, with the kick if it decides."""
    voted = Voted(
        at_ms=now_ms,
        seat=seat,
        against=ballot.against,
        agree=command.agree,
        until_ms=ballot.until_ms,
        needed=ballot.needed,
    )
    # Decision 004: more than half of the others must agree, so a host cannot kick the leading player alone.
    agreed = table.human_seats.intersection(ballot.agreed) | ({seat} if command.agree else frozenset())
    if len(agreed) < ballot.needed:
        return (voted,)
    seat_state = table.seats[ballot.against]
    assert seat_state.user is not None, "a ballot ends when its player leaves"
    return voted, kicked_by(table, command, now_ms, user=seat_state.user, name=seat_state.name, seat=ballot.against)


def _expire(table: Table, _: ExpireVote, now_ms: int) -> Decision:
    ballot = table.ballot
    # A timer may ring early, and the vote may have ended while its command waited.
    return () if ballot is None or now_ms < ballot.until_ms else (_ended(ballot, "expired", now_ms),)


def _hopes(table: Table, ballot: Ballot) -> frozenset[Seat]:
    """List the seats that have agreed or may still agree."""
    return table.human_seats - {ballot.against, *ballot.refused}


def _ended(ballot: Ballot, reason: VoteEnd, now_ms: int) -> VoteEnded:
    return VoteEnded(at_ms=now_ms, against=ballot.against, reason=reason)


def _not_now(table: Table) -> Refused:
    if table.status == "waiting":
        return Refused(Code.NOT_STARTED, "Players vote in a running game; before it the host kicks.")
    return Refused(Code.GAME_OVER, "The game is over.")


DECIDERS: Deciders = {Vote: _vote, ExpireVote: _expire}
