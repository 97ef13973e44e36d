"""Pauses: all players must agree to one, and any of them ends it."""

from typing import Final, Literal

from msgspec import UNSET
from msgspec.structs import replace

from scoville_server.tables.model.action import (
    Action,
    Command,
    Records,
    Refused,
    RepeatableRecord,
    RequestedCommand,
    refuse_unless_running,
    refuse_unseated,
    with_event,
)
from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol import messages as m


class Pause(Command, frozen=True, kw_only=True):
    """Request a pause, or agree to one."""

    user: UserId


class Resume(Command, frozen=True, kw_only=True):
    """End the pause."""

    user: UserId


class ResumeDeserted(Command, frozen=True):
    """Let bots play on in a game to which no player has returned."""


class EndPause(Command, frozen=True):
    """End the pause of a rated game whose time for pauses is used up."""


class Paused(RepeatableRecord, frozen=True, kw_only=True, tag="paused"):
    """A player requested a pause."""


class Resumed(RepeatableRecord, frozen=True, kw_only=True, tag="resumed"):
    """A player ended the pause, or it was `over`: rated games are paused for a limited time."""

    # A seat that may request no further pause must still be able to end one.
    refusable = False

    reason: Literal["asked", "over"] = "asked"


def _decide_pause(table: Table, command: Pause, now_ms: int) -> Records | Refused:
    seat = table.seat_of(command.user)
    if seat is None:
        return refuse_unseated(table)
    if (refused := refuse_unless_running(table)) is not None:
        return refused
    if table.opened.reserved is not UNSET:
        sentence = "Others in the tournament wait for this game, so it cannot be paused."
        return Refused(Code.NOT_ALLOWED, sentence, {"why": "awaited"})
    if table.rated and table.paused_ms >= m.MOST_PAUSED_MS:
        minutes = m.MOST_PAUSED_MS // 60_000
        sentence = f"This game has been paused for {minutes} minutes, the most of a rated game."
        return Refused(Code.TOO_MANY, sentence, {"why": "pauses", "most": minutes})
    # A player who has asked already asks again with effect once all others who had not agreed have left.
    granted = table.paused or (seat in table.pausing and not table.pausing >= table.human_seats)
    return () if granted else (Paused(at_ms=now_ms, seat=seat),)


def _evolve_paused(table: Table, record: Paused) -> Table:
    pausing = table.pausing | {record.seat}
    after = replace(table, pausing=pausing, paused=pausing >= table.human_seats)
    if after.paused and not table.paused:
        after = replace(after, paused_since_ms=record.at_ms)
    return with_event(after, m.Paused(seq=table.seq + 1, seat=record.seat, granted=after.paused))


def _decide_resume(table: Table, command: Resume, now_ms: int) -> Records | Refused:
    seat = table.seat_of(command.user)
    if seat is None:
        return refuse_unseated(table)
    return (Resumed(at_ms=now_ms, seat=seat),) if table.paused or table.pausing else ()


def _decide_resume_deserted(table: Table, _: ResumeDeserted, now_ms: int) -> Records:
    return (Resumed(at_ms=now_ms, seat=_first_user_seat(table)),) if table.deserted else ()


def _decide_end_pause(table: Table, _: EndPause, now_ms: int) -> Records:
    due = table.pause_ends_ms
    # A timer may ring early, and the pause may have ended while its command waited.
    if due is None or now_ms < due:
        return ()
    return (Resumed(at_ms=now_ms, seat=_first_user_seat(table), reason="over"),)


def _first_user_seat(table: Table) -> Seat:
    """Return the seat that the record names when no player has ended the pause."""
    return next(Seat(number) for number, seat_state in enumerate(table.seats) if seat_state.user is not None)


def _evolve_resumed(table: Table, record: Resumed) -> Table:
    after = replace(table, paused=False, pausing=frozenset())
    if table.paused:
        after = replace(after, paused_ms=table.paused_ms + max(0, record.at_ms - table.paused_since_ms))
    return with_event(after, m.Resumed(seq=table.seq + 1, seat=record.seat, reason=record.reason))


ACTION: Final = Action(
    {
        Pause: _decide_pause,
        Resume: _decide_resume,
        ResumeDeserted: _decide_resume_deserted,
        EndPause: _decide_end_pause,
    },
    {Paused: _evolve_paused, Resumed: _evolve_resumed},
    requests={
        m.PauseRequest: RequestedCommand(lambda user, _: Pause(user=user)),
        m.ResumeRequest: RequestedCommand(lambda user, _: Resume(user=user), ends=True),
    },
)
