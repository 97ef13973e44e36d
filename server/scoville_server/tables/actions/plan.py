"""Conditional moves of games by correspondence: what a seat plays by itself once it owes a move.

A plan leaves no event, so nobody but its own player can know of it before its moves are made.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from scoville_server.tables.actions.play import Play, decide_move
from scoville_server.tables.model.action import (
    Action,
    Command,
    DecidedMove,
    Records,
    Refused,
    RepeatableRecord,
    RequestedCommand,
    refuse_unless_running,
    refuse_unseated,
)
from scoville_server.tables.model.table import Planning, Table, has_plan, list_due_plans
from scoville_shared.engine.codec import CodecError
from scoville_shared.errors import Code
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.messages import PlanEnd, PlanLine, PlanLineParams
from scoville_shared.values import Plain


class Plan(Command, frozen=True, kw_only=True):
    """Plan up to `most` moves by lines, in place of an earlier plan; no lines forget it."""

    user: UserId
    lines: tuple[PlanLine, ...]
    most: int = 1


class FollowPlan(Command, frozen=True, kw_only=True):
    """Make the planned move of a seat that owes one, or end the plan."""

    seat: Seat


class Planned(RepeatableRecord, frozen=True, kw_only=True, tag="planned"):
    """A player planned up to `most` moves."""

    lines: tuple[PlanLine, ...]
    most: int


class PlanFollowed(RepeatableRecord, frozen=True, kw_only=True, tag="plan_followed"):
    """The move before this record was a planned one."""

    refusable = False


class PlanEnded(RepeatableRecord, frozen=True, kw_only=True, tag="plan_ended"):
    """A plan ended without a move; its player has not seen yet why, unless they have ended it themselves."""

    refusable = False

    reason: PlanEnd | None = None


def _decide_plan(table: Table, command: Plan, now_ms: int) -> Records | Refused:
    seat = table.seat_of(command.user)
    if seat is None:
        return refuse_unseated(table)
    if not command.lines:
        return (PlanEnded(at_ms=now_ms, seat=seat),) if seat in table.plans else ()
    if (refused := refuse_unless_running(table)) is not None:
        return refused
    if not table.opened.clock.by_days:
        return Refused(Code.NO_PLAN, "Moves can be planned in games by correspondence only.")
    if seat in table.pending:
        return Refused(Code.YOUR_TURN, "It is your turn; play a move instead of planning one.")
    try:
        lines = tuple(_in_canonical_form(table, line) for line in command.lines)
    except CodecError as error:
        return Refused(Code.BAD_MOVE, f"That is not a move of this game: {error}.")
    return (Planned(at_ms=now_ms, seat=seat, lines=lines, most=command.most),)


def _in_canonical_form(table: Table, line: PlanLine) -> PlanLine:
    codec = table.game.codec
    return line if line.move is None else replace(line, move=codec.encode_plain(codec.decode_move(line.move)))


def _decide_follow_plan(table: Table, command: FollowPlan, now_ms: int) -> Records | DecidedMove:
    seat = command.seat
    # The player may have moved, or left, while this command waited.
    if seat not in list_due_plans(table):
        return ()
    plan = table.plans[seat]
    facts = [*_list_facts(table, seat, plan.seq)]
    line = next((line for line in plan.lines if _has_fact(line.when, facts)), None)
    if line is None:
        return (PlanEnded(at_ms=now_ms, seat=seat, reason="unmet"),)
    if line.move is None:
        return (PlanEnded(at_ms=now_ms, seat=seat, reason="stopped"),)
    decision = decide_move(table, seat, Play(user=plan.user, move=line.move, nth=plan.nth), "player", now_ms)
    if isinstance(decision, Refused):
        return (PlanEnded(at_ms=now_ms, seat=seat, reason="illegal"),)
    return decision._replace(records=(*decision.records, PlanFollowed(at_ms=now_ms, seat=seat)))


def _list_facts(table: Table, seat: Seat, since: int) -> Iterator[Plain]:
    """Iterate over the facts that the player of a seat was sent since an event."""
    for recorded in table.iterate_events_after(since):
        yield from (fact for to, fact in recorded.facts if to is None or to == seat)


def _has_fact(when: Mapping[str, m.PlanValue], facts: list[Plain]) -> bool:
    """Whether one fact has all of some fields; none hold always."""
    return not when or any(all(fact.get(field) == value for field, value in when.items()) for fact in facts)


def _evolve_planned(table: Table, record: Planned) -> Table:
    user = table.seats[record.seat].user
    assert user is not None, "only users plan"
    seat, nth = record.seat, table.played[record.seat]
    plan = Planning(user=user, seq=table.seq, nth=nth, left=record.most, lines=record.lines)
    return replace(table, plans={**table.plans, seat: plan})


def _evolve_plan_followed(table: Table, record: PlanFollowed) -> Table:
    plan = table.plans[record.seat]
    left = plan.left - 1
    after = replace(plan, nth=table.played[record.seat], left=left, lines=plan.lines if left else ())
    return replace(table, plans={**table.plans, record.seat: replace(after, ended=None if left else "done")})


def _evolve_plan_ended(table: Table, record: PlanEnded) -> Table:
    others = {seat: plan for seat, plan in table.plans.items() if seat != record.seat}
    if record.reason is None:
        return replace(table, plans=others)
    ended = replace(table.plans[record.seat], lines=(), ended=record.reason)
    return replace(table, plans={**others, record.seat: ended})


def describe_plan(table: Table, user: UserId) -> m.PlanReply:
    """Describe a user's own plan: its lines while it waits, else why the latest one ended."""
    seat = table.seat_of(user)
    # A plan stays with the seat of a player who has left; the user who followed there must not see it.
    if seat is None or (plan := table.plans.get(seat)) is None or plan.user != user:
        return m.PlanReply()
    if has_plan(table, seat):
        return m.PlanReply(plan_lines=[*plan.lines], moves_left=plan.left)
    return m.PlanReply(ended=plan.ended if plan.nth == table.played[seat] else None)


def _read_lines(params: Sequence[PlanLineParams]) -> tuple[PlanLine, ...]:
    return tuple(PlanLine(when=dict(line.when), move=line.move) for line in params)


ACTION: Final = Action(
    {Plan: _decide_plan, FollowPlan: _decide_follow_plan},
    {Planned: _evolve_planned, PlanFollowed: _evolve_plan_followed, PlanEnded: _evolve_plan_ended},
    requests={
        m.PlanRequest: RequestedCommand(
            lambda user, p: Plan(user=user, lines=_read_lines(p.plan_lines), most=p.most),
        )
    },
)
