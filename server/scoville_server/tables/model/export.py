"""Export of a finished game as the lines of its file; docs/replay-format.md describes them."""

from datetime import UTC, datetime

from msgspec import UNSET

from scoville_server.tables.model.commands import Refused
from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code
from scoville_shared.replay import Ending, Header, MoveLine, Sitter, write


def export(table: Table) -> list[str] | Refused:
    """Export a finished game. A running one is refused: the file has the seed and every secret move."""
    outcome = table.game.outcome(table.state) if table.status == "finished" else None
    if outcome is None:
        return Refused(Code.NOT_FINISHED, "The game at this table is not over yet; it can be exported afterwards.")
    ending = Ending(scores=[*outcome.scores], places=[*outcome.places], reason=outcome.reason)
    return write(_header(table), _moves(table), ending)


def _header(table: Table) -> Header:
    opened = table.opened
    return Header(
        game=opened.game,
        rules_version=opened.rules_version,
        options=opened.options,
        table=table.id,
        seats=[Sitter(name=chair.name, kind="bot" if chair.user is None else "human") for chair in table.chairs],
        commitment=opened.commitment,
        nonces=[nonce.hex() or None for nonce in table.nonces],
        nonce_hashes=[chair.nonce_hash.hex() or None for chair in table.chairs],
        server_seed=opened.seed.hex(),
        started=datetime.fromtimestamp(table.started_ms // 1000, UTC),
        dealer=UNSET if opened.dealer is None else opened.dealer,
    )


def _moves(table: Table) -> list[MoveLine]:
    return [
        MoveLine(n=n, seat=made.seat, move=made.move, mover=made.mover, at_ms=max(0, made.at_ms - table.started_ms))
        for n, made in enumerate(table.moves, 1)
    ]
