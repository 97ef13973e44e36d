"""Start of a game: by the host, or automatically."""

from scoville_server.tables.model.commands import OF_THE_TABLE, AutoStart, Ready, Refused, Start
from scoville_server.tables.model.deciding import revealing
from scoville_server.tables.model.deciding.verdict import Deciders, Decision, host_seat, not_seated
from scoville_server.tables.model.records import ReadyChanged
from scoville_server.tables.model.table import Table
from scoville_shared.bots.registry import find_level, levels
from scoville_shared.errors import Code


def _ready(table: Table, command: Ready, now_ms: int) -> Decision:
    seat = table.seat_of(command.user)
    if seat is None:
        return not_seated(table)
    if table.status != "waiting" or table.revealing is not None:
        return _started_already()
    # No record without a change: each one wakes all observers.
    if command.ready == (seat in table.ready):
        return ()
    return (ReadyChanged(at_ms=now_ms, seat=seat, ready=command.ready),)


def _start(table: Table, command: Start, now_ms: int) -> Decision:
    seat = table.seat_of(command.user)
    if seat is None:
        return not_seated(table)
    if table.status != "waiting":
        return _started_already()
    host = host_seat(table, seat, "can start the game")
    if isinstance(host, Refused):
        return host
    if command.strength == OF_THE_TABLE:
        return revealing.begin(table, OF_THE_TABLE, now_ms)
    level = find_level(table.opened.game, command.strength)
    if level is None:
        return _no_such_bots(table, command.strength)
    return revealing.begin(table, level, now_ms)


def _start_by_itself(table: Table, _: AutoStart, now_ms: int) -> Decision:
    if table.revealing is not None:
        return revealing.end(table, table.revealing, now_ms)
    if table.countdown is None or now_ms < table.countdown.until_ms:
        return ()
    return revealing.begin(table, OF_THE_TABLE, now_ms)


def _started_already() -> Refused:
    return Refused(Code.ALREADY_STARTED, "The game at this table has already started.")


def _no_such_bots(table: Table, strength: str) -> Refused:
    known = ", ".join(levels(table.opened.game))
    sentence = f"There are no {strength!r} bots for {table.game.info.title}; there are {known}."
    return Refused(Code.BAD_PARAMS, sentence, {"bots": strength})


DECIDERS: Deciders = {Ready: _ready, Start: _start, AutoStart: _start_by_itself}
