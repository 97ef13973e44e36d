"""A start that fails: a nonce to which a player committed is missing, so all players draw new ones."""

from typing import Final, Literal

from msgspec.structs import replace

from scoville_server.tables.model.action import Action, Refused, with_event
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code
from scoville_shared.ids import Seat
from scoville_shared.protocol import messages as m

REDRAW_MS: Final = 5_000
"""Milliseconds after a void start for which the next one waits for the players' new nonces."""


class StartVoided(Record, frozen=True, kw_only=True, tag="start_voided"):
    """The start failed because the players at `missing` did not reveal their nonces, or left. All nonces are void."""

    missing: tuple[Seat, ...]
    reason: Literal["missing", "left"]


def void_if_left(table: Table, seat: Seat | None, now_ms: int) -> tuple[StartVoided, ...]:
    """Return the record of a start that is void because a seat is left: the deal would need its player's nonce."""
    if table.revealing is None or seat is None:
        return ()
    return (StartVoided(at_ms=now_ms, missing=(seat,), reason="left"),)


def refuse_redrawing(table: Table, now_ms: int) -> Refused | None:
    """Return why the game may not start yet: the same hashes would lead to the same deal, which a player has seen."""
    if not table.redrawing or now_ms >= table.voided_ms + REDRAW_MS:
        return None
    names = [table.seats[seat].name for seat in sorted(table.redrawing)]
    sentence = f"The last start was void; {', '.join(names)} still has to draw a new nonce. Try again in a moment."
    return Refused(Code.REDRAWING, sentence, {"names": names})


def _evolve_start_voided(table: Table, record: StartVoided) -> Table:
    """Forget all hashes and nonces: those that were revealed are known to the server, which could choose by them."""
    drew = frozenset(Seat(n) for n, seat_state in enumerate(table.seats) if seat_state.nonce_hash)
    missing = frozenset(record.missing)
    after = replace(
        table,
        seats=tuple(replace(seat_state, nonce_hash=b"", nonce=b"") for seat_state in table.seats),
        revealing=None,
        ready=table.ready - missing,
        redrawing=drew - missing,
        voided_ms=record.at_ms,
    )
    if record.reason == "missing":
        users = (table.seats[seat].user for seat in record.missing)
        after = replace(after, withheld=table.withheld | {user for user in users if user is not None})
    return with_event(after, m.StartVoided(seq=table.seq + 1, missing=[*record.missing], reason=record.reason))


ACTION: Final = Action(evolvers={StartVoided: _evolve_start_voided})
