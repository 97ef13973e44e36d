"""A table as a state machine, by the actions of `tables/actions`: each module there has its `ACTION`.

`decide` judges a command, `evolve` applies a record, `restore_table` makes a table from its records, and `pack_record`
turns a record into the bytes that a journal keeps.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from importlib import import_module
from operator import or_
from pkgutil import iter_modules
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from scoville_server.tables import actions
from scoville_server.tables.actions import close, condense, countdown, leave, vote, warn
from scoville_server.tables.model import clock
from scoville_server.tables.model.action import (
    Action,
    ClockChange,
    Command,
    DecidedMove,
    Decider,
    Evolver,
    Records,
    Refused,
    RepeatableRecord,
    RequestedCommand,
)
from scoville_server.tables.model.nights import nights_of
from scoville_server.tables.model.records import Created, Played, Record
from scoville_server.tables.model.table import SeatState, Table, remember_round
from scoville_shared.engine.contract import AnyGame, Step
from scoville_shared.errors import Code
from scoville_shared.protocol.messages import OfTable

# Found in the folder, so that a new action is one file and nothing else here.
ACTIONS: Final[dict[str, Action]] = {
    module.name: import_module(f"{actions.__name__}.{module.name}").ACTION for module in iter_modules(actions.__path__)
}
"""All actions, by the names of their files."""

MOST_EXTRAS: Final = 600
"""Most pauses, resumes, host changes, leaves and returns per seat and game: enough for a bad connection all evening."""

_DECIDERS: Final[dict[type[Command], Decider]] = {
    command: decider for action in ACTIONS.values() for command, decider in action.deciders.items()
}
_EVOLVERS: Final[dict[type[Record], Evolver]] = {
    record: evolver for action in ACTIONS.values() for record, evolver in action.evolvers.items()
}
_CLOCK_CHANGES: Final[dict[type[Record], ClockChange]] = {
    record: change for action in ACTIONS.values() for record, change in action.clock_changes.items()
}
REQUESTS: Final[dict[type[OfTable], RequestedCommand]] = {
    request: requested for action in ACTIONS.values() for request, requested in action.requests.items()
}
"""Requests that become commands without a handler of their own."""

RECORD_TYPES: Final[tuple[type[Record], ...]] = (Created, *_EVOLVERS)
"""Types of the records that a journal may have of a table."""


class Decided(NamedTuple):
    """Records to journal, none if nothing changes, and the table after them."""

    records: Records
    after: Table


def decide(table: Table, command: Command, now_ms: int) -> Decided | Refused:
    """Decide a command at the wall time `now_ms` (milliseconds since 1970); the table itself does not change.

    While a table waits, the returned records also start or cancel the countdown; in a game they may end a ballot.
    """
    if table.closed is not None:
        return Decided((), table) if isinstance(command, close.Close) else close.refuse_closed(table, table.closed)
    decision = _DECIDERS[type(command)](table, command, now_ms)
    if isinstance(decision, Refused):
        return decision
    records, step = decision if isinstance(decision, DecidedMove) else (decision, None)

    # The records of a waiting table need no bound: they are condensed.
    if table.status != "waiting":
        bounded = _bound_extras(table, records)
        if isinstance(bounded, Refused):
            return bounded
        records = bounded

    after = table
    for record in records:
        # The step belongs to the first record, the move.
        after, step = evolve(after, record, step), None
    if table.status == "waiting":
        # The only place that starts or cancels a countdown: it follows from who is seated, whatever the command was.
        more = countdown.update_countdown(after, now_ms)
    elif after.ballot is not None:
        # Any change may leave a ballot without a chance.
        more = vote.settle_ballot(after, now_ms)
    else:
        return Decided(records, after)
    return Decided((*records, *more), reduce(evolve, more, after))


def _bound_extras(table: Table, records: Records) -> Records | Refused:
    """Refuse records if the seat that causes them has reached its bound; only its warnings are dropped silently."""
    leaves = any(isinstance(record, leave.Left) for record in records)
    kept = []
    for record in records:
        if isinstance(record, RepeatableRecord) and record.refusable:
            seat = record.causing_seat(table)
            if seat is not None and table.extras_of(seat) >= MOST_EXTRAS:
                # The pause before a leave is dropped too.
                if isinstance(record, warn.Warned) or leaves:
                    continue
                return Refused(
                    Code.TOO_MANY,
                    f"This seat has done that {MOST_EXTRAS} times in this game, the most allowed; play a card.",
                )
        kept.append(record)
    return tuple(kept)


# Decision 002: nothing is refused here; a record that cannot be applied is damage, not a rule.
def evolve(table: Table, record: Record, step: Step[Any, Any] | None = None) -> Table:
    """Apply one record to a table and its clocks.

    Args:
        table: The table before the record.
        record: Any record but `Created`, for which it raises ValueError.
        step: That of a move which was just decided; a restart has only the record, and makes the step again.
    """
    if isinstance(record, Created):
        raise ValueError("a table is created once")
    evolver = _EVOLVERS[type(record)]
    after = evolver(table, record) if step is None else evolver(table, record, step)
    # Moves have a count of their own, and the rules of the game bound them.
    if type(record) is not Played:
        after = _count_record(table, after, record)
    # Clocks begin with a game, or it has none.
    if table.clocks is not None or (table.status != after.status and after.opened.clock.timed):
        after = replace(after, clocks=_evolve_clocks(table, after, record))
    return remember_round(table, after)


def _count_record(before: Table, after: Table, record: Record) -> Table:
    """Count a record: of a waiting table for condensing it in time, of a running game for the seat that caused it."""
    # The time of all, also of those that users never see: a restart with a clock that is behind begins no earlier.
    at_ms = max(before.changed_ms, record.at_ms)
    # One copy each: a table has many fields, and a start makes a copy for every record.
    if after.status == "waiting":
        return condense.drop_old_events(replace(after, age=after.age + 1, changed_ms=at_ms))
    if before.status == "waiting" or not isinstance(record, RepeatableRecord):
        return replace(after, changed_ms=at_ms)
    seat = record.causing_seat(before)
    extras = before.extras or (0,) * len(before.seats)
    return replace(after, extras=tuple(count + (n == seat) for n, count in enumerate(extras)), changed_ms=at_ms)


def _evolve_clocks(before: Table, after: Table, record: Record) -> clock.Clocks | None:
    """Let time pass up to a record, then set which clocks run after it."""
    if not after.running:
        return None
    if before.clocks is None:
        terms = after.opened.clock
        nights = nights_of(terms.night, after.opened.zone_offsets)
        clocks = clock.start_clocks(terms, len(after.seats), record.at_ms, nights)
    else:
        change = _CLOCK_CHANGES.get(type(record), _let_time_pass)
        clocks = change(before, before.clocks, record)
    clocks = clock.rest_until(clocks, after.resting_seats)
    return clock.pause_clocks(
        clock.run_clocks(clocks, after.human_seats.intersection(after.pending)), paused=after.paused
    )


def _let_time_pass(_: Table, clocks: clock.Clocks, record: Record) -> clock.Clocks:
    return clock.let_time_pass(clocks, record.at_ms)


def restore_table(records: Iterable[Record], find_game: Callable[[str], AnyGame]) -> Table:
    """Restore a table from its records, the first of which is `Created`."""
    rest = iter(records)
    created = next(rest)
    if not isinstance(created, Created):
        raise ValueError(f"the first record of a table creates it; this one is {type(created).__name__}")
    return reduce(evolve, rest, create_table(find_game(created.game), created))


def create_table(game: AnyGame, created: Created) -> Table:
    return Table(
        game=game,
        opened=created,
        seats=(SeatState(),) * created.seat_count,
        played=(0,) * created.seat_count,
        admitted=frozenset(created.admitted),
        members=created.members,
        kicked=created.watch_refusal,
        acted_ms=created.at_ms,
        host_acted_ms=created.at_ms,
    )


def condense_if_long(decided: Decided, now_ms: int) -> Decided:
    """Choose the records to keep of a change: its own, or all of a table that has too many, in a shorter form."""
    # The records of a running game are all needed to replay it.
    if decided.after.status != "waiting" or not condense.has_too_many_records(decided.after):
        return decided
    records = condense.condense_table(decided.after, now_ms)
    # Restored as a restart does it, so that nobody sees another table after one.
    return Decided(records, restore_table(records, lambda _: decided.after.game))


def replaces_all(records: Sequence[Record]) -> bool:
    """Whether the records are a whole condensed table and replace all of its earlier ones."""
    return len(records) > 1 and isinstance(records[0], Created) and isinstance(records[1], condense.Condensed)


_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[Record] = msgspec.msgpack.Decoder(reduce(or_, RECORD_TYPES))


def pack_record(record: Record) -> bytes:
    return _encoder.encode(record)


def unpack_record(data: bytes) -> Record:
    """Decode a record.

    Raises msgspec.DecodeError for bytes that `pack_record` did not write.
    """
    return _decoder.decode(data)
