"""The stage between the start and the deal: players reveal the nonces to which they committed.

A nonce that is missing at the deadline voids the start of a rated game, so that nobody can choose between two deals
unseen; all players then draw new nonces. Other games start without it, and their first event says so.
"""

from scoville_server.accounts.names import bot_names
from scoville_server.tables.model.commands import OF_THE_TABLE, Refused, Reveal
from scoville_server.tables.model.deciding.verdict import Deciders, Decision, not_seated
from scoville_server.tables.model.records import AnyRecord, Left, NoncesRequested, Revealed, Started, StartVoided
from scoville_server.tables.model.table import REDRAW_MS, REVEAL_MS, Revealing, Table
from scoville_shared.engine.dice import nonce_hash
from scoville_shared.errors import Code
from scoville_shared.ids import Seat


def begin(table: Table, strength: str, now_ms: int) -> Decision:
    """Start the game, or first request the nonces to which players have committed."""
    if table.revealing is not None:
        return ()
    # The same hashes would lead to the same deal, which a player has seen: new ones must come first.
    if table.redrawing and now_ms < table.voided_ms + REDRAW_MS:
        return _redrawing(table)
    if table.unrevealed:
        return (NoncesRequested(at_ms=now_ms, strength=strength, until_ms=now_ms + REVEAL_MS),)
    return (_started(table, strength, now_ms),)


def end(table: Table, revealing: Revealing, now_ms: int) -> Decision:
    """Decide at the deadline: start with the nonces that were revealed, or void the start of a rated game."""
    if now_ms < revealing.until_ms:
        return ()
    missing = table.unrevealed
    # An unrated game starts without: to wait would let any player keep the others from playing.
    if not missing or not table.needs_all_nonces:
        return (_started(table, revealing.strength, now_ms),)
    again = [seat for seat in missing if table.seats[seat].user in table.withheld]
    void = StartVoided(at_ms=now_ms, missing=tuple(missing), reason="missing")
    return void, *(_unseat(seat, now_ms) for seat in again)


def _reveal(table: Table, command: Reveal, now_ms: int) -> Decision:
    seat = table.seat_of(command.user)
    if seat is None:
        return not_seated(table)
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
    if table.unrevealed != [seat]:
        return (revealed,)
    return revealed, _started(table, table.revealing.strength, now_ms)


def _started(table: Table, strength: str, now_ms: int) -> Started:
    free, settings = table.free, table.opened.settings
    bots = dict(zip(free, bot_names(len(free), table.names), strict=True))
    if strength != OF_THE_TABLE:
        return Started(at_ms=now_ms, strength=strength, bots=bots)
    levels = {seat: level for seat in free if (level := settings.level_of_seat(seat)) != settings.bot_level}
    return Started(at_ms=now_ms, strength=settings.bot_level, bots=bots, levels=levels)


def _unseat(seat: Seat, now_ms: int) -> AnyRecord:
    """Free the seat of a player who has withheld a nonce for the second time, so that the others can play."""
    return Left(at_ms=now_ms, seat=seat, reason="absent")


def _redrawing(table: Table) -> Refused:
    names = [table.seats[seat].name for seat in sorted(table.redrawing)]
    sentence = f"The last start was void; {', '.join(names)} still has to draw a new nonce. Try again in a moment."
    return Refused(Code.REDRAWING, sentence, {"names": names})


DECIDERS: Deciders = {Reveal: _reveal}
