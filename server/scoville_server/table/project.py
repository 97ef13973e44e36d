"""What a watcher is told: built from the game's View of their seat and the facts addressed to it, nothing else.

A `seat` of None is a spectator. Who sits where is the server's to say, never the client's.
"""

from collections.abc import Callable
from itertools import islice
from typing import Any

import msgspec

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
    view = view_of(table, seat)
    return [EventNotice(table=table.id, event=event, view=view) for event in events(table, since, seat)]


def snapshot(table: Table, since: int, seat: Seat | None, is_here: IsHere) -> TableSnapshot:
    """Show the whole table to a watcher who knows the events up to `since`."""
    return TableSnapshot(
        info=info(table, is_here),
        seq=table.seq,
        seat=seat,
        view=view_of(table, seat),
        pending=[*table.pending],
        played=[*table.played] if table.status != "waiting" else [],
        events=events(table, since, seat),
    )


def events(table: Table, since: int, seat: Seat | None) -> list[AnyTableEvent]:
    """List the events after `since` as this watcher may know them."""
    return [_shown(happening, seat) for happening in table.happenings[since:]]


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
