"""Spectating in rounds: the table as it was when a round ended, some rounds ago.

The deal counts as the end of a round. Before it and after the game everybody sees the table as it is.
"""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from scoville_server.tables.model.table import Table
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.play import play_move
from scoville_shared.protocol.messages import Played, Started


def remember_round(before: Table, after: Table) -> Table:
    """Keep `after` if a round has just ended, beside as many earlier ones as will be shown."""
    settings = after.opened.settings
    if settings.spectating != "rounds" or not after.running:
        return replace(after, rounds=()) if after.rounds else after
    if before.status == "waiting":
        ended: tuple[Table, ...] = (before, replace(after, rounds=()))
    elif after.game.round(after.state) > after.game.round(before.state):
        ended = (*after.rounds, replace(after, rounds=()))
    else:
        return after
    # Whole tables of the past instead of the present one with fields removed: no filter can forget a field, and a
    # restart finds the same.
    return replace(after, rounds=ended[-1 - settings.rounds_behind :])


def table_for_spectators(table: Table) -> Table:
    """Return the table as spectators see it."""
    return table.rounds[0] if table.rounds else table


def table_for_lobby(table: Table) -> Table:
    """Return the table as the lobby shows it to users without a seat: as spectators see it, but never before its start.

    That a game has started is no secret; a pause and a seat that changes hands are, until spectators see them.
    """
    if not table.rounds:
        return table
    return next((ended for ended in table.rounds if ended.status != "waiting"), table)


def tables_between(before: Table, after: Table) -> list[Table]:
    """List the tables that spectators see one after another when `before` becomes `after`, one per end of a round."""
    first, last = table_for_spectators(before), table_for_spectators(after)
    ends = {table.seq: table for table in (first, *before.rounds, *after.rounds, last)}
    return [ends[seq] for seq in sorted(ends) if first.seq <= seq <= last.seq]


def replay_states(before: Table, after: Table) -> Iterator[Any]:
    """Replay the moves from one end of a round to the next; yields the game's state after each event."""
    state, moves = before.state, iter(after.moves[len(before.moves) :])
    for recorded in after.events_after(before.seq):
        if isinstance(recorded.event, Started):
            state = after.state
        elif isinstance(recorded.event, Played):
            made = next(moves)
            step = play_move(after.game, state, made.seat, after.game.codec.decode_move(made.move))
            assert not isinstance(step, Refusal), f"a move that was made is legal; this one was refused: {step}"
            state = step.state
        yield state
