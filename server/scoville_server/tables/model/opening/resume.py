"""An exported game as the records of a table in the middle of that game."""

from collections.abc import Sequence

from scoville_server.tables.model.records import AnyRecord, Created, Joined, Left, Played, Revealed, Started
from scoville_shared.bots.registry import USUAL
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.replay import Header, Opening, dealer_of


def resumed(opening: Opening, user: UserId, name: str, now_ms: int) -> Sequence[AnyRecord]:
    """Return the records that lead to `opening`: the same deal, the same moves by the same movers.

    The user `user` sits in the opening's seat and is the host; all other players have left, so bots keep their
    seats. The last move was made at `now_ms`.
    """
    header, lines = opening.exported.header, opening.exported.moves[: opening.moves]
    began = now_ms - (lines[-1].at_ms if lines else 0)
    absent = [seat for seat in _taken(header) if seat != opening.seat]
    bots = {Seat(n): _name(header, n) for n in range(len(header.seats)) if n not in (opening.seat, *absent)}
    return [
        _opened(header, user, began),
        _joined(header, opening.seat, user, name, began),
        *(_joined(header, seat, UserId(f"gone/{seat}"), _name(header, seat), began) for seat in absent),
        *_revealed(header, began),
        Started(at_ms=began, strength=USUAL, bots=bots),
        *(Played(at_ms=began + line.at_ms, seat=Seat(line.seat), move=line.move, mover=line.mover) for line in lines),
        *(Left(at_ms=now_ms, seat=seat) for seat in absent),
    ]


def _taken(header: Header) -> list[Seat]:
    """List the seats of human players; a nonce, which counts for the deal, comes from joining."""
    taken = (sitter.kind == "human" or nonce for sitter, nonce in zip(header.seats, header.nonces, strict=True))
    return [Seat(n) for n, by_somebody in enumerate(taken) if by_somebody]


def _name(header: Header, seat: int) -> str:
    return header.seats[seat].name or f"Seat {seat + 1}"


def _opened(header: Header, user: UserId, now_ms: int) -> Created:
    return Created(
        at_ms=now_ms,
        table=TableId(header.table),
        game=header.game,
        rules_version=header.rules_version,
        options=header.options,
        seat_count=len(header.seats),
        seed=bytes.fromhex(header.server_seed),
        user=user,
        dealer=dealer_of(header),
    )


def _joined(header: Header, seat: Seat, user: UserId, name: str, now_ms: int) -> Joined:
    hashed = bytes.fromhex(header.nonce_hashes[seat] or "")
    return Joined(at_ms=now_ms, seat=seat, user=user, name=name, nonce_hash=hashed)


def _revealed(header: Header, now_ms: int) -> list[Revealed]:
    return [
        Revealed(at_ms=now_ms, seat=Seat(seat), nonce=bytes.fromhex(nonce))
        for seat, nonce in enumerate(header.nonces)
        if nonce is not None
    ]
