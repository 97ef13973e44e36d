"""It happened: records fold into the table. The same records always make the same table."""

from collections.abc import Callable, Iterable
from functools import reduce

import msgspec

from scoville_server.table import clock
from scoville_server.table.model import Chair, Happening, Table
from scoville_server.table.records import (
    AnyRecord,
    AskedForPause,
    Dealt,
    GotUp,
    MoveMade,
    Opened,
    Reopened,
    SatDown,
    Warned,
    WentOn,
)
from scoville_shared.ids import Seat
from scoville_shared.kit.contract import AnyGame, Refusal
from scoville_shared.kit.dice import Dice, table_key
from scoville_shared.kit.engine import play
from scoville_shared.wire.messages import (
    AnyTableEvent,
    ClockWarning,
    GameFinished,
    GameStarted,
    Moved,
    PauseAsked,
    Resumed,
    SeatLeft,
    SeatTaken,
)

_changed = msgspec.structs.replace


def fold(records: Iterable[AnyRecord], find_game: Callable[[str], AnyGame]) -> Table:
    """Make a table again from its records, the first of which opened it."""
    rest = iter(records)
    opened = next(rest)
    if not isinstance(opened, Opened):
        raise ValueError(f"the first record of a table opens it; this one is {type(opened).__name__}")
    return reduce(evolve, rest, opened_table(find_game(opened.game), opened))


def opened_table(game: AnyGame, opened: Opened) -> Table:
    """Lay out an empty table."""
    return Table(
        game=game,
        opened=opened,
        chairs=(Chair(),) * opened.seats,
        played=(0,) * opened.seats,
        admitted=frozenset(opened.admitted),
        kicked=opened.barred,
        acted_ms=opened.at_ms,
        host_acted_ms=opened.at_ms,
    )


def evolve(table: Table, record: AnyRecord) -> Table:
    """Let one record happen to the table, and to its clocks."""
    after = _happened(table, record)
    return _changed(after, clocks=_clocks(table, after, record)) if after.opened.timed else after


def _happened(table: Table, record: AnyRecord) -> Table:
    match record:
        case SatDown():
            return _sat_down(table, record)
        case GotUp():
            return _got_up(table, record)
        case Dealt():
            return _dealt(table, record)
        case MoveMade():
            return _moved(table, record)
        case Warned():
            return _warned(table, record)
        case AskedForPause():
            return _asked_for_pause(table, record)
        case WentOn():
            after = _changed(table, paused=False, pausing=frozenset())
            return _told(after, Resumed(seq=table.seq + 1, seat=record.seat))
        case Reopened():
            return table
        case Opened():
            raise ValueError("a table is opened once")


def _sat_down(table: Table, record: SatDown) -> Table:
    chair = table.chairs[record.seat]
    nonce = chair.nonce if chair.away else record.nonce  # the chance of a running game is settled
    taken = Chair(name=record.name, person=record.person, nonce=nonce)
    host = record.seat if table.host is None else table.host
    after = _changed(table.with_chair(record.seat, taken), host=host)
    return _told(after, SeatTaken(seq=table.seq + 1, seat=record.seat, info=taken.info, host=host))


def _got_up(table: Table, record: GotUp) -> Table:
    chair = table.chairs[record.seat]
    left = Chair() if table.status == "waiting" else _changed(chair, away=True)
    after = table.with_chair(record.seat, left)
    host = _next_host(after, record.seat) if table.host == record.seat else table.host
    event = SeatLeft(seq=table.seq + 1, seat=record.seat, name=chair.name, host=host)
    after = _changed(
        after, host=host, pausing=after.pausing - {record.seat}, paused=after.paused and bool(after.people)
    )
    return _told(after, event)


def _next_host(table: Table, left: Seat) -> Seat | None:
    count = len(table.chairs)
    clockwise = (Seat((left + step) % count) for step in range(1, count))
    return next((seat for seat in clockwise if table.chairs[seat].human), None)


def _dealt(table: Table, record: Dealt) -> Table:
    for seat, name in record.bots.items():
        table = table.with_chair(seat, Chair(name=name))
    options = table.game.codec.options(table.opened.options)
    key = table_key(table.opened.seed, table.id, table.nonces)
    state = table.game.setup(options, len(table.chairs), Dice(key))
    after = _changed(table, status="playing", strength=record.strength, started_ms=record.at_ms, state=state)
    event = GameStarted(
        seq=table.seq + 1,
        seats=[chair.info for chair in after.chairs],
        nonces=[nonce.hex() for nonce in after.nonces],
        pending=[*after.pending],
    )
    return _ended(_told(after, event))


def _moved(table: Table, record: MoveMade) -> Table:
    step = play(table.game, table.state, record.seat, table.game.codec.move(record.move))
    assert not isinstance(step, Refusal), f"a recorded move is legal; this one was refused: {step}"
    played = tuple(count + (seat == record.seat) for seat, count in enumerate(table.played))
    after = _changed(table, state=step.state, played=played, moves=(*table.moves, record))
    event = Moved(
        seq=table.seq + 1,
        seat=record.seat,
        by=record.by,
        facts=[],
        pending=[*after.pending],
        played=[*played],
    )
    told = tuple((fact.to, table.game.codec.plain(fact.fact)) for fact in step.facts)
    return _ended(_told(after, event, told))


def _warned(table: Table, record: Warned) -> Table:
    event = ClockWarning(seq=table.seq + 1, seat=record.seat, reason=record.reason, seconds_left=record.seconds)
    return _told(table, event)


def _asked_for_pause(table: Table, record: AskedForPause) -> Table:
    pausing = table.pausing | {record.seat}
    after = _changed(table, pausing=pausing, paused=pausing >= table.people)
    return _told(after, PauseAsked(seq=table.seq + 1, seat=record.seat, paused=after.paused))


def _clocks(before: Table, after: Table, record: AnyRecord) -> clock.Clocks | None:
    """Let the time up to a record pass, then say whose time passes from there on."""
    if after.status != "playing":
        return None
    if before.clocks is None:
        clocks = clock.wound_up(after.opened.clock, len(after.chairs), record.at_ms)
    else:
        clocks = _noted(before, before.clocks, record)
    return clock.stopped(clock.let_run(clocks, after.people.intersection(after.pending)), paused=after.paused)


def _noted(before: Table, clocks: clock.Clocks, record: AnyRecord) -> clock.Clocks:
    if isinstance(record, Reopened):
        return clock.skipped_to(clocks, record.at_ms)
    clocks = clock.at(clocks, record.at_ms)
    match record:
        case MoveMade(seat=seat):
            return clock.moved(clocks, seat) if seat in before.pending else clock.taken_back(clocks, seat)
        case Warned(seat=seat, reason="clock"):
            return clock.warned(clocks, seat)
        case _:
            return clocks


def _ended(table: Table) -> Table:
    outcome = table.game.outcome(table.state)
    if outcome is None:
        return table
    event = GameFinished(
        seq=table.seq + 1,
        scores=[*outcome.scores],
        places=[*outcome.places],
        reason=outcome.reason,
        server_seed=table.opened.seed.hex(),
    )
    return _told(_changed(table, status="finished"), event)


def _told(table: Table, event: AnyTableEvent, told: tuple[tuple[Seat | None, object], ...] = ()) -> Table:
    return _changed(table, happenings=(*table.happenings, Happening(event, told)))
