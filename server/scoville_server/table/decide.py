"""May it happen? A command becomes records, or a refusal; the table itself stays as it is."""

from collections.abc import Callable
from math import ceil
from typing import Any

from scoville_server.names import bot_names
from scoville_server.table import clock
from scoville_server.table.commands import (
    BotPlays,
    Command,
    Join,
    Leave,
    Pause,
    Play,
    Refused,
    Reopen,
    Resume,
    Start,
    WarnOfAbsence,
    WarnOfClock,
)
from scoville_server.table.model import Table
from scoville_server.table.records import (
    AnyRecord,
    AskedForPause,
    Dealt,
    GotUp,
    MoveMade,
    Mover,
    Reopened,
    SatDown,
    Warned,
    WentOn,
)
from scoville_shared.bots.base import strengths
from scoville_shared.errors import Code
from scoville_shared.ids import Seat
from scoville_shared.kit.codec import CodecError

Decision = tuple[AnyRecord, ...] | Refused
"""Records to journal (none: the wish is granted already), or why not."""


def decide(table: Table, command: Command, now_ms: int) -> Decision:
    """Judge a command at the time `now_ms` (milliseconds since 1970)."""
    return _DECIDERS[type(command)](table, command, now_ms)


def _reopen(table: Table, _: Reopen, now_ms: int) -> Decision:
    return (Reopened(at_ms=now_ms),) if table.clocks is not None else ()


def _join(table: Table, wish: Join, now_ms: int) -> Decision:
    mine = table.seat_of(wish.person)
    if mine is not None:
        return () if wish.seat in (None, mine) else _sits_already(mine)
    kept = table.kept_for(wish.person)
    seat = kept if kept is not None else _free_seat(table, wish.seat)
    if isinstance(seat, Refused):
        return seat
    return (SatDown(at_ms=now_ms, seat=seat, person=wish.person, name=wish.name, nonce=wish.nonce),)


def _sits_already(seat: Seat) -> Refused:
    return Refused(Code.SEAT_TAKEN, f"You sit at seat {seat} of this table; leave it first.", {"seat": seat})


def _free_seat(table: Table, wanted: int | None) -> Seat | Refused:
    if table.status != "waiting":
        return Refused(Code.ALREADY_STARTED, "The game at this table has started; you can watch it.")
    free = [Seat(number) for number, chair in enumerate(table.chairs) if chair.open]
    if not free:
        return Refused(Code.TABLE_FULL, f"All {len(table.chairs)} seats of this table are taken.")
    if wanted is None:
        return free[0]
    if wanted >= len(table.chairs):
        last = len(table.chairs) - 1
        return Refused(Code.BAD_SEATS, f"There is no seat {wanted}; the seats are 0 to {last}.", {"seat": wanted})
    if wanted not in free:
        name = table.chairs[wanted].name
        return Refused(Code.SEAT_TAKEN, f"Seat {wanted} is taken by {name}.", {"seat": wanted, "name": name})
    return Seat(wanted)


def _leave(table: Table, wish: Leave, now_ms: int) -> Decision:
    seat = table.seat_of(wish.person)
    return _not_seated(table) if seat is None else (GotUp(at_ms=now_ms, seat=seat),)


def _not_seated(table: Table) -> Refused:
    return Refused(Code.NOT_SEATED, "You do not sit at this table; join it first.", {"table": table.id})


def _start(table: Table, wish: Start, now_ms: int) -> Decision:
    seat = table.seat_of(wish.person)
    if seat is None:
        return _not_seated(table)
    if table.status != "waiting":
        return Refused(Code.ALREADY_STARTED, "The game at this table has started already.")
    if seat != table.host:
        host = "" if table.host is None else table.chairs[table.host].name
        return Refused(Code.NOT_HOST, f"Only the host starts the game; that is {host}.", {"host": host})
    if wish.strength not in strengths(table.opened.game):
        return _no_such_bots(table, wish.strength)
    free = [Seat(number) for number, chair in enumerate(table.chairs) if chair.open]
    bots = dict(zip(free, bot_names(len(free), table.names), strict=True))
    return (Dealt(at_ms=now_ms, strength=wish.strength, bots=bots),)


def _no_such_bots(table: Table, strength: str) -> Refused:
    known = ", ".join(strengths(table.opened.game))
    sentence = f"There are no {strength!r} bots for {table.game.info.title}; there is {known}."
    return Refused(Code.BAD_PARAMS, sentence, {"bots": strength})


def _play(table: Table, wish: Play, now_ms: int) -> Decision:
    seat = table.seat_of(wish.person)
    if seat is None:
        return _not_seated(table)
    return _move(table, seat, wish.move, wish.nth, "player", now_ms)


def _bot_plays(table: Table, wish: BotPlays, now_ms: int) -> Decision:
    if wish.by == "clock":
        if table.clocks is None or wish.seat not in clock.overdue(table.clocks, now_ms):
            return Refused(Code.STALE_MOVE, "This seat has moved, or has time again.")
    elif table.chairs[wish.seat].human:
        return Refused(Code.SEAT_TAKEN, "The person is back; the bot's move is not wanted any more.")
    return _move(table, wish.seat, wish.move, wish.nth, wish.by, now_ms)


def _warn_of_clock(table: Table, wish: WarnOfClock, now_ms: int) -> Decision:
    if table.clocks is None or wish.seat not in clock.to_warn(table.clocks, now_ms):
        return ()
    seconds = ceil(clock.left_ms(clock.at(table.clocks, now_ms), wish.seat) / 1000)
    return (Warned(at_ms=now_ms, seat=wish.seat, reason="clock", seconds=seconds),)


def _warn_of_absence(table: Table, wish: WarnOfAbsence, now_ms: int) -> Decision:
    seat = table.seat_of(wish.person)
    if seat is None or table.status == "finished" or table.paused:
        return ()
    return (Warned(at_ms=now_ms, seat=seat, reason="absence", seconds=ceil(wish.seconds)),)


def _pause(table: Table, wish: Pause, now_ms: int) -> Decision:
    seat = table.seat_of(wish.person)
    if seat is None:
        return _not_seated(table)
    if table.status == "waiting":
        return Refused(Code.NOT_STARTED, "The game has not started yet.")
    granted = (
        table.paused or table.status == "finished" or (seat in table.pausing and not table.pausing >= table.people)
    )
    return () if granted else (AskedForPause(at_ms=now_ms, seat=seat),)


def _resume(table: Table, wish: Resume, now_ms: int) -> Decision:
    seat = table.seat_of(wish.person)
    if seat is None:
        return _not_seated(table)
    return (WentOn(at_ms=now_ms, seat=seat),) if table.paused or table.pausing else ()


def _move(table: Table, seat: Seat, plain: Any, nth: int | None, by: Mover, now_ms: int) -> Decision:
    if table.status == "waiting":
        return Refused(Code.NOT_STARTED, "The game has not started yet.")
    if table.paused:
        return Refused(Code.PAUSED, "The table is paused; anybody who sits there can go on.")
    played = table.played[seat]
    if nth is not None and nth != played:
        return Refused(Code.STALE_MOVE, f"This is not your move number {nth}: you made {played}.", {"played": played})
    try:
        move = table.game.codec.move(plain)
    except CodecError as error:
        return Refused(Code.BAD_MOVE, f"That is not a move of this game: {error}.")
    refusal = table.game.check(table.state, seat, move)
    if refusal is not None:
        sentence = table.game.text.refusal(refusal).render(table.names)
        return Refused(refusal.reason, sentence, dict(refusal.data))
    return (MoveMade(at_ms=now_ms, seat=seat, move=table.game.codec.plain(move), by=by),)


_DECIDERS: dict[type[Command], Callable[[Table, Any, int], Decision]] = {
    Join: _join,
    Leave: _leave,
    Start: _start,
    Play: _play,
    BotPlays: _bot_plays,
    WarnOfClock: _warn_of_clock,
    WarnOfAbsence: _warn_of_absence,
    Pause: _pause,
    Resume: _resume,
    Reopen: _reopen,
}
