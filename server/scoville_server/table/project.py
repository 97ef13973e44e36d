"""What a watcher is told: built from the game's View of their seat and the facts addressed to it, nothing else.

A `seat` of None is a spectator. Who sits where is the server's to say, never the client's.
"""

from collections.abc import Callable
from itertools import islice
from typing import Any

import msgspec

from scoville_server.table import clock
from scoville_server.table.model import Chair, Happening, Table
from scoville_shared.ids import PersonId, Seat
from scoville_shared.kit.dice import commitment
from scoville_shared.wire.messages import AnyTableEvent, EventNotice, Moved, SeatInfo, TableInfo, TableSnapshot

Plain = Any
IsHere = Callable[[PersonId], bool]
"""Tells whether a person's line is up."""

MOST_LISTED = 1_000
"""How many legal moves one answer lists; a game that has more gives the most useful ones first."""


def notices(table: Table, since: int, seat: Seat | None) -> list[EventNotice]:
    """Tell a watcher what happened after event `since`, with their View as it is now."""
    view, left = view_of(table, seat), left_ms(table)
    return [EventNotice(table=table.id, event=event, view=view, left_ms=left) for event in events(table, since, seat)]


def snapshot(table: Table, since: int, seat: Seat | None, is_here: IsHere, now_ms: int | None = None) -> TableSnapshot:
    """Show the whole table, as it is at `now_ms`, to a watcher who knows the events up to `since`."""
    return TableSnapshot(
        info=info(table, is_here),
        seq=table.seq,
        seat=seat,
        view=view_of(table, seat),
        pending=[*table.pending],
        played=[*table.played] if table.status != "waiting" else [],
        events=events(table, since, seat),
        left_ms=left_ms(table, now_ms),
    )


def events(table: Table, since: int, seat: Seat | None) -> list[AnyTableEvent]:
    """List the events after `since` as this watcher may know them."""
    return [_shown(happening, seat) for happening in table.happenings[since:]]


def left_ms(table: Table, now_ms: int | None = None) -> list[int]:
    """Say how much time each seat has, at `now_ms` or after the last event; nothing where it is not counted."""
    if table.clocks is None:
        return []
    clocks = table.clocks if now_ms is None else clock.at(table.clocks, now_ms)
    return [clock.left_ms(clocks, Seat(seat)) for seat in range(len(table.chairs))]


def view_of(table: Table, seat: Seat | None) -> Plain | None:
    """The View of a seat or a spectator; None until the game starts."""
    if table.state is None:
        return None
    return table.game.codec.plain(table.game.view(table.state, seat))


def legal_moves(table: Table, seat: Seat) -> list[Plain]:
    """List what a seat may play now, the first of very many; who owes no move may have a choice to take back."""
    if table.status != "playing":
        return []
    view = table.game.view(table.state, seat)
    return [table.game.codec.plain(move) for move in islice(table.game.moves(view), MOST_LISTED)]


def info(table: Table, is_here: IsHere) -> TableInfo:
    """The table as the lobby shows it."""
    return TableInfo(
        table=table.id,
        game=table.opened.game,
        options=table.opened.options,
        seats=[_seat_info(chair, is_here) for chair in table.chairs],
        host=table.host,
        status=table.status,
        commitment=commitment(table.opened.seed).hex(),
        clock=table.opened.clock,
        paused=table.paused,
    )


def _shown(happening: Happening, seat: Seat | None) -> AnyTableEvent:
    event = happening.event
    if not isinstance(event, Moved):
        return event
    facts = [fact for to, fact in happening.told if to is None or to == seat]
    return msgspec.structs.replace(event, facts=facts)


def _seat_info(chair: Chair, is_here: IsHere) -> SeatInfo:
    if chair.human and chair.person is not None and not is_here(chair.person):
        return msgspec.structs.replace(chair.info, connected=False)
    return chair.info
