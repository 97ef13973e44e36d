"""Moves, clock warnings and pauses."""

from functools import reduce
from math import ceil
from typing import Any

from msgspec.structs import replace

from scoville_server.tables.model import clock
from scoville_server.tables.model.commands import (
    EndPause,
    Pause,
    Play,
    PlayForSeat,
    Refused,
    Resume,
    ResumeDeserted,
    WarnOfAbsence,
    WarnOfClock,
)
from scoville_server.tables.model.deciding.verdict import Deciders, Decision, not_seated
from scoville_server.tables.model.evolve import evolve
from scoville_server.tables.model.records import AnyRecord, Left, Paused, Played, Resumed, Warned
from scoville_server.tables.model.table import MOST_OVERRUNS, MOST_PAUSED_MS, Table
from scoville_shared.engine.codec import CodecError
from scoville_shared.errors import Code
from scoville_shared.ids import Seat
from scoville_shared.values import Mover


def _play(table: Table, command: Play, now_ms: int) -> Decision:
    seat = table.seat_of(command.user)
    if seat is None:
        return not_seated(table)
    return _move(table, seat, command.move, command.nth, "player", now_ms)


def _bot_plays(table: Table, command: PlayForSeat, now_ms: int) -> Decision:
    if command.mover == "clock":
        if table.clocks is None or command.seat not in clock.overdue(table.clocks, now_ms):
            return Refused(Code.STALE_MOVE, "This seat has moved, or its clock was stopped.")
    # The player came back while the bot was thinking: the move is theirs to make.
    elif table.seats[command.seat].human:
        return Refused(Code.SEAT_TAKEN, "The player is back; the bot's move is discarded.")
    decision = _move(table, command.seat, command.move, command.nth, command.mover, now_ms)
    if isinstance(decision, Refused):
        return decision
    if command.mover == "clock":
        return _with_takeover(table, decision, command.seat, now_ms)
    if command.searched is None:
        return decision
    # Recorded with what it was searched with, because a clock may have cut the search.
    return tuple(replace(record, searched=command.searched) for record in decision if isinstance(record, Played))


def _with_takeover(table: Table, decision: tuple[AnyRecord, ...], seat: Seat, now_ms: int) -> Decision:
    """Let a bot take over from a player of a rated game who lets the time run out, at once if they did it before."""
    after = reduce(evolve, decision, table)
    # Once a seat was taken over for stalling, returning must not buy the whole patience again.
    most = 1 if table.stalls.get(seat, 0) else MOST_OVERRUNS
    if not (table.rated and after.running) or after.overruns.get(seat, 0) < most:
        return decision
    return (*decision, Left(at_ms=now_ms, seat=seat, reason="stalled"))


def _warn_of_clock(table: Table, command: WarnOfClock, now_ms: int) -> Decision:
    if table.clocks is None or command.seat not in clock.to_warn(table.clocks, now_ms):
        return ()
    left_ms = clock.left_ms(clock.at(table.clocks, now_ms), command.seat)
    return (Warned(at_ms=now_ms, seat=command.seat, reason="clock", acts_in_ms=left_ms),)


def _warn_of_absence(table: Table, command: WarnOfAbsence, now_ms: int) -> Decision:
    seat = table.seat_of(command.user)
    # The absence went on in the meantime, but there is nobody left to warn.
    if seat is None or table.status == "finished" or table.paused:
        return ()
    return (Warned(at_ms=now_ms, seat=seat, reason="absence", acts_in_ms=ceil(1000 * command.seconds)),)


def _pause(table: Table, command: Pause, now_ms: int) -> Decision:
    seat = table.seat_of(command.user)
    if seat is None:
        return not_seated(table)
    if table.status == "waiting":
        return Refused(Code.NOT_STARTED, "The game has not started yet.")
    if table.status == "finished":
        return Refused(Code.GAME_OVER, "The game is over.")
    if table.rated and table.paused_ms >= MOST_PAUSED_MS:
        minutes = MOST_PAUSED_MS // 60_000
        sentence = f"This game has been paused for {minutes} minutes, the most of a rated game."
        return Refused(Code.TOO_MANY, sentence)
    granted = table.paused or (seat in table.pausing and not table.pausing >= table.human_seats)
    return () if granted else (Paused(at_ms=now_ms, seat=seat),)


def _resume(table: Table, command: Resume, now_ms: int) -> Decision:
    seat = table.seat_of(command.user)
    if seat is None:
        return not_seated(table)
    return (Resumed(at_ms=now_ms, seat=seat),) if table.paused or table.pausing else ()


def _play_on(table: Table, _: ResumeDeserted, now_ms: int) -> Decision:
    if not table.deserted:
        return ()
    kept = next(Seat(number) for number, seat_state in enumerate(table.seats) if seat_state.user is not None)
    return (Resumed(at_ms=now_ms, seat=kept),)


def _end_pause(table: Table, _: EndPause, now_ms: int) -> Decision:
    due = table.pause_ends_ms
    if due is None or now_ms < due:
        return ()
    seat = next(Seat(number) for number, seat_state in enumerate(table.seats) if seat_state.user is not None)
    return (Resumed(at_ms=now_ms, seat=seat, reason="over"),)


def _move(table: Table, seat: Seat, plain: Any, nth: int | None, by: Mover, now_ms: int) -> Decision:
    if table.status == "waiting":
        return Refused(Code.NOT_STARTED, "The game has not started yet.")
    if table.paused:
        return Refused(Code.PAUSED, "The game is paused; any player at the table can resume it.")
    played = table.played[seat]
    # Before the rules: a move that comes twice must be called stale, not illegal in the state after it.
    if nth is not None and nth != played:
        return Refused(
            Code.STALE_MOVE, f"This is not your move number {nth}: you made {played}.", {"move_count": played}
        )
    try:
        move = table.game.codec.move(plain)
    except CodecError as error:
        return Refused(Code.BAD_MOVE, f"That is not a move of this game: {error}.")
    refusal = table.game.check(table.state, seat, move)
    if refusal is not None:
        sentence = table.game.text.refusal(refusal).render(table.names)
        return Refused(refusal.reason, sentence, dict(refusal.data))
    # Encoded anew: the record has the canonical form, whatever the client wrote.
    return (Played(at_ms=now_ms, seat=seat, move=table.game.codec.plain(move), mover=by),)


DECIDERS: Deciders = {
    Play: _play,
    PlayForSeat: _bot_plays,
    WarnOfClock: _warn_of_clock,
    WarnOfAbsence: _warn_of_absence,
    Pause: _pause,
    Resume: _resume,
    ResumeDeserted: _play_on,
    EndPause: _end_pause,
}
