"""Moves of players, of bots, and of the clock after a timeout."""

from typing import Any, Final, Literal

from msgspec.structs import replace

from scoville_server.tables.actions.leave import Left
from scoville_server.tables.model import clock
from scoville_server.tables.model.action import (
    Action,
    Command,
    DecidedMove,
    Refused,
    refuse_unseated,
    with_event,
)
from scoville_server.tables.model.records import Played
from scoville_server.tables.model.table import RecordedEvent, Table, find_seats_to_move
from scoville_shared.bots.search import Searched
from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.contract import Refusal, Step
from scoville_shared.engine.play import play_move
from scoville_shared.errors import Code
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol import messages as m
from scoville_shared.values import Mover, Plain

MOST_OVERRUNS: Final = 2
"""Moves in a row that the clock makes for a player of a rated game before a bot takes over: one costs a move alone."""


class Play(Command, frozen=True, kw_only=True):
    """Play a move.

    `nth` is how many moves the sender believes their seat has made before, so a repeated command is harmless.
    """

    user: UserId
    move: Plain
    nth: int | None = None


class PlayForSeat(Command, frozen=True, kw_only=True):
    """Play a move for a seat, its `nth`: the seat's bot, or after a timeout the `clock`.

    `searched` is how far a searching bot got with less than its budget.
    """

    seat: Seat
    move: Plain
    nth: int
    mover: Literal["bot", "clock"] = "bot"
    searched: Searched | None = None


def _decide_play(table: Table, command: Play, now_ms: int) -> DecidedMove | Refused:
    seat = table.seat_of(command.user)
    if seat is None:
        return refuse_unseated(table)
    return decide_move(table, seat, command, "player", now_ms)


def _decide_play_for_seat(table: Table, command: PlayForSeat, now_ms: int) -> DecidedMove | Refused:
    if command.mover == "clock":
        if table.clocks is None or command.seat not in clock.overdue_seats(table.clocks, now_ms):
            return Refused(Code.STALE_MOVE, "This seat has moved, or its clock was stopped.")
    # The player came back while the bot was thinking: the move is theirs to make.
    elif table.seats[command.seat].human:
        return Refused(Code.SEAT_TAKEN, "The player is back; the bot's move is discarded.")
    decision = decide_move(table, command.seat, command, command.mover, now_ms)
    if isinstance(decision, Refused) or command.mover == "bot":
        return decision
    return _with_takeover(table, decision, command.seat, now_ms)


def _with_takeover(table: Table, decision: DecidedMove, seat: Seat, now_ms: int) -> DecidedMove:
    """Let a bot take over from a player who lets the time run out, at once if they did it before.

    In rated games and by correspondence; elsewhere it costs each move alone.
    """
    # Once a seat was taken over for stalling, returning must not buy the whole patience again.
    most = 1 if table.stalls.get(seat, 0) else MOST_OVERRUNS
    # By correspondence, too: else those who wait would wait days for every move of somebody who has forgotten the game.
    replaced = table.rated or table.opened.clock.by_days
    if not replaced or _count_overruns(table, seat) < most or table.game.outcome(decision.step.state) is not None:
        return decision
    return decision._replace(records=(*decision.records, Left(at_ms=now_ms, seat=seat, reason="stalled")))


def decide_move(
    table: Table, seat: Seat, command: Play | PlayForSeat, mover: Mover, now_ms: int
) -> DecidedMove | Refused:
    """Decide a move of a seat, by its player, a bot or the clock."""
    if table.status == "waiting":
        return Refused(Code.NOT_STARTED, "The game has not started yet.")
    if table.paused:
        return Refused(Code.PAUSED, "The game is paused; any player at the table can resume it.")
    played = table.played[seat]
    # Before the rules: a move that comes twice must be called stale, not illegal in the state after it.
    if command.nth is not None and command.nth != played:
        return Refused(
            Code.STALE_MOVE, f"This is not your move number {command.nth}: you made {played}.", {"move_count": played}
        )
    try:
        move = table.game.codec.decode_move(command.move)
    except CodecError as error:
        return Refused(Code.BAD_MOVE, f"That is not a move of this game: {error}.")
    step = play_move(table.game, table.state, seat, move)
    if isinstance(step, Refusal):
        sentence = table.game.text.describe_refusal(step).render(table.names)
        return Refused(step.reason, sentence, dict(step.data))
    # A clock may have cut a bot's search, so its move can be repeated only with the settings of the search.
    searched = command.searched if isinstance(command, PlayForSeat) else None
    # Encoded again: the record has the canonical form, whatever the client wrote.
    plain = table.game.codec.encode_plain(move)
    return DecidedMove((Played(at_ms=now_ms, seat=seat, move=plain, mover=mover, searched=searched),), step)


def _evolve_played(table: Table, record: Played, step: Step[Any, Any] | None = None) -> Table:
    step = step or _replay_step(table, record)
    seat, counts, plain = record.seat, table.played, table.game.codec.encode_plain
    played = (*counts[:seat], counts[seat] + 1, *counts[seat + 1 :])
    to_move = find_seats_to_move(table, step.state)
    overruns = table.overruns

    # Any move of the player ends the row of those that the clock made.
    if record.mover == "clock" or seat in overruns:
        overruns = {**overruns, seat: _count_overruns(table, seat) if record.mover == "clock" else 0}
    event = m.Played(
        seq=table.seq + 1,
        seat=seat,
        mover=record.mover,
        facts=[],
        pending=[*to_move],
        move_counts=[*played],
    )

    # A generator takes twice as long.
    facts = tuple([(fact.to, plain(fact.fact)) for fact in step.facts])
    # The event goes into the same copy, not by `with_event`: a table has many fields, and most records are moves.
    after = replace(
        table,
        state=step.state,
        to_move=to_move,
        played=played,
        moves=table.moves.with_item(record),
        acted_ms=record.at_ms,
        overruns=overruns,
        recorded_events=table.recorded_events.with_item(RecordedEvent(event, facts)),
    )
    return append_result(after)


def _replay_step(table: Table, record: Played) -> Step[Any, Any]:
    """Make the step of a recorded move again: after a restart there is nothing but the record."""
    step = play_move(table.game, table.state, record.seat, table.game.codec.decode_move(record.move))
    assert not isinstance(step, Refusal), f"a recorded move is legal; this one was refused: {step}"
    return step


def _count_overruns(table: Table, seat: Seat) -> int:
    """Count the moves in a row that the clock has made for a seat, with one more."""
    return table.overruns.get(seat, 0) + 1


def append_result(table: Table) -> Table:
    """Append the end of the game, if this is it."""
    outcome = table.game.outcome(table.state)
    if outcome is None:
        return table
    event = m.Finished(
        seq=table.seq + 1,
        scores=[*outcome.scores],
        places=[*outcome.places],
        reason=outcome.reason,
        # The seed of a shared deal would show the others cards that they have not played yet.
        server_seed="" if table.opened.deal else table.opened.seed.hex(),
    )
    # A player who left may return to see the result, so the table stays for them.
    absent = _absent_seats(table)
    ended = replace(table, status="finished", paused=False, ballot=None, unseen=absent, final_seats=table.seats)
    return with_event(ended, event)


def _absent_seats(table: Table) -> frozenset[Seat]:
    """Return the seats of players who left but may return."""
    seats = ((Seat(number), seat_state) for number, seat_state in enumerate(table.seats) if seat_state.away)
    return frozenset(seat for seat, seat_state in seats if seat_state.user not in table.kicked)


def _note_move(before: Table, clocks: clock.Clocks, record: Played) -> clock.Clocks:
    clocks = clock.let_time_pass(clocks, record.at_ms)
    # A seat that owed no move has taken one back.
    return (
        clock.note_move(clocks, record.seat)
        if record.seat in before.pending
        else clock.note_taken_back(clocks, record.seat)
    )


ACTION: Final = Action(
    {Play: _decide_play, PlayForSeat: _decide_play_for_seat},
    {Played: _evolve_played},
    {Played: _note_move},
)
