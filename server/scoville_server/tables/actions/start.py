"""Start of a game: by the host or automatically, after the players have revealed the nonces to which they committed.

A nonce that is missing at the deadline voids the start of a rated game, so that nobody can choose between two deals
unseen; all players then draw new nonces. Other games start without it, and their first event says so.
"""

from typing import Any, Final

from msgspec import field
from msgspec.structs import replace

from scoville_server.accounts.model.naming.permitted import bot_names
from scoville_server.tables.actions.leave import Left
from scoville_server.tables.actions.play import append_result
from scoville_server.tables.actions.void_start import StartVoided, refuse_redrawing
from scoville_server.tables.model.action import (
    Action,
    Command,
    Records,
    Refused,
    RequestedCommand,
    refuse_unseated,
    require_host,
    with_event,
)
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import Revealing, SeatState, Table, describe_seat, find_seats_to_move
from scoville_shared.bots.registry import find_level, list_levels
from scoville_shared.engine.dice import Dice, nonce_hash, table_key
from scoville_shared.errors import Code
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol import messages as m

OF_THE_TABLE: Final = "table"
"""Stands for the level of bots that the table's settings name."""

REVEAL_MS: Final = 5_000
"""Milliseconds in which a player's client reveals the nonce; one round trip is enough."""


class Start(Command, frozen=True, kw_only=True):
    """Start the game at the host's request; bots of the level `strength`, or `OF_THE_TABLE`, take open seats."""

    user: UserId
    strength: str


class AutoStart(Command, frozen=True, kw_only=True):
    """Start the game at the end of the countdown, with bots in the open seats; or settle a start that was begun."""


class Reveal(Command, frozen=True, kw_only=True):
    """Reveal the nonce to which a player's hash committed."""

    user: UserId
    nonce: bytes


class NoncesRequested(Record, frozen=True, kw_only=True, tag="nonces_requested"):
    """The game starts, with bots of `strength`, as soon as all nonces are revealed, or at `until_ms`.

    `strength` is a level for all open seats, or says that the table's settings name the levels.
    """

    strength: str
    until_ms: int


class Revealed(Record, frozen=True, kw_only=True, tag="revealed"):
    """A player revealed the nonce to which their hash committed."""

    seat: Seat
    nonce: bytes


class Started(Record, frozen=True, kw_only=True, tag="started"):
    """The game started; bots play the seats in `bots`, by name, of the level `strength` or of their own in `levels`."""

    strength: str
    bots: dict[Seat, str]
    levels: dict[Seat, str] = field(default_factory=dict)


def _decide_start(table: Table, command: Start, now_ms: int) -> Records | Refused:
    seat = table.seat_of(command.user)
    if seat is None:
        return refuse_unseated(table)
    if table.status != "waiting":
        return Refused(Code.ALREADY_STARTED, "The game at this table has already started.")
    host = require_host(table, seat, "can start the game")
    if isinstance(host, Refused):
        return host
    if command.strength == OF_THE_TABLE:
        return _begin_start(table, OF_THE_TABLE, now_ms)
    level = find_level(table.opened.game, command.strength)
    return _refuse_level(table, command.strength) if level is None else _begin_start(table, level, now_ms)


def _decide_auto_start(table: Table, _: AutoStart, now_ms: int) -> Records | Refused:
    if table.revealing is not None:
        return _settle_start(table, table.revealing, now_ms)
    if table.countdown is None or now_ms < table.countdown.until_ms:
        return ()
    return _begin_start(table, OF_THE_TABLE, now_ms)


def _refuse_level(table: Table, strength: str) -> Refused:
    known = ", ".join(list_levels(table.opened.game))
    sentence = f"There are no {strength!r} bots for {table.game.info.title}; there are {known}."
    return Refused(Code.BAD_PARAMS, sentence, {"bots": strength})


def _begin_start(table: Table, strength: str, now_ms: int) -> Records | Refused:
    """Start the game, or first request the nonces to which players have committed."""
    if table.revealing is not None:
        return ()
    if (too_early := refuse_redrawing(table, now_ms)) is not None:
        return too_early
    if table.unrevealed_seats:
        return (NoncesRequested(at_ms=now_ms, strength=strength, until_ms=now_ms + REVEAL_MS),)
    return (_start_with_bots(table, strength, now_ms),)


def _settle_start(table: Table, revealing: Revealing, now_ms: int) -> Records:
    """Decide at the deadline: start with the nonces that were revealed, or void the start of a rated game."""
    if now_ms < revealing.until_ms:
        return ()
    missing = table.unrevealed_seats
    # An unrated game starts without: waiting would let any player keep the others from playing.
    if not missing or not table.needs_all_nonces:
        return (_start_with_bots(table, revealing.strength, now_ms),)
    void = StartVoided(at_ms=now_ms, missing=tuple(missing), reason="missing")
    # A player who withholds a nonce for the second time loses the seat, so that the others can play.
    again = [seat for seat in missing if table.seats[seat].user in table.withheld]
    return void, *(Left(at_ms=now_ms, seat=seat, reason="absent") for seat in again)


def _decide_reveal(table: Table, command: Reveal, now_ms: int) -> Records | Refused:
    seat = table.seat_of(command.user)
    if seat is None:
        return refuse_unseated(table)
    if table.revealing is None:
        return Refused(Code.NOT_REQUESTED, "The nonces are not requested now; wait for nonces_requested.")
    seat_state = table.seats[seat]
    if nonce_hash(table.id, command.nonce) != seat_state.nonce_hash:
        return Refused(Code.WRONG_NONCE, "This nonce does not match the hash that you gave when you joined.")
    # Revealed already, by a request whose reply was lost.
    if seat_state.nonce:
        return ()
    revealed = Revealed(at_ms=now_ms, seat=seat, nonce=command.nonce)
    # The last one starts the game at once; the deadline is for those who do not answer.
    if table.unrevealed_seats != [seat]:
        return (revealed,)
    return revealed, _start_with_bots(table, table.revealing.strength, now_ms)


def _start_with_bots(table: Table, strength: str, now_ms: int) -> Started:
    free, settings = table.free_seats, table.opened.settings
    bots = dict(zip(free, bot_names(len(free), table.names), strict=True))
    if strength != OF_THE_TABLE:
        return Started(at_ms=now_ms, strength=strength, bots=bots)
    own_levels = {seat: level for seat in free if (level := settings.level_of_seat(seat)) != settings.bot_level}
    return Started(at_ms=now_ms, strength=settings.bot_level, bots=bots, levels=own_levels)


def _evolve_nonces_requested(table: Table, record: NoncesRequested) -> Table:
    after = replace(table, revealing=Revealing(record.until_ms, record.strength), countdown=None)
    event = m.NoncesRequested(
        seq=table.seq + 1,
        nonce_hashes=[seat_state.nonce_hash.hex() or None for seat_state in table.seats],
        starts_in_ms=max(0, record.until_ms - record.at_ms),
    )
    return with_event(after, event)


def _evolve_revealed(table: Table, record: Revealed) -> Table:
    return table.with_seat(record.seat, replace(table.seats[record.seat], nonce=record.nonce))


def _evolve_started(table: Table, record: Started) -> Table:
    for seat, name in record.bots.items():
        table = table.with_seat(seat, SeatState(name=name))
    state = deal_game(table)
    after = replace(
        table,
        status="playing",
        strength=record.strength,
        levels=record.levels,
        started_ms=record.at_ms,
        acted_ms=record.at_ms,
        ready=frozenset(),
        countdown=None,
        revealing=None,
        redrawing=frozenset(),
        state=state,
        to_move=find_seats_to_move(table, state),
    )
    event = m.Started(
        seq=table.seq + 1,
        seats=[describe_seat(after, seat) for seat in map(Seat, range(len(after.seats)))],
        nonces=[nonce.hex() or None for nonce in after.nonces],
        missing=[*table.unrevealed_seats],
        pending=[*after.pending],
    )
    return append_result(with_event(after, event))


def deal_game(table: Table) -> Any:
    """Return the state of a started table right after its deal."""
    options = table.game.codec.decode_options(table.opened.options)
    dice = Dice(table_key(table.opened.seed, table.opened.deal_name, table.nonces))
    return table.game.deal(options, len(table.seats), dice, table.opened.dealer)


ACTION: Final = Action(
    {Start: _decide_start, AutoStart: _decide_auto_start, Reveal: _decide_reveal},
    {NoncesRequested: _evolve_nonces_requested, Revealed: _evolve_revealed, Started: _evolve_started},
    requests={
        m.RevealRequest: RequestedCommand(lambda user, p: Reveal(user=user, nonce=bytes.fromhex(p.nonce)), ends=True)
    },
)
