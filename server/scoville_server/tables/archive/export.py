"""Export of a finished game as the lines of its file; docs/replay-format.md describes them."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from msgspec import UNSET

from scoville_server.tables.actions.enter import refuse_entry
from scoville_server.tables.model.action import Refused
from scoville_server.tables.model.table import Table, bot_level, is_sealed
from scoville_server.tables.watching.audience import Watcher, users_of, watch_refusal
from scoville_shared.errors import Code
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import ExportReply
from scoville_shared.replay import Header, MoveLine, RecordedOutcome, Sitter, write_game, write_lines

PAGE: Final = 400
"""Most lines of one reply: writing them takes about a millisecond."""


def export_game(table: Table) -> list[str] | Refused:
    """Export a finished game as a whole, without its signature; for a long one that takes some milliseconds.

    A running one is refused: the file has the seed and every secret move.
    """
    ending = _ending_of(table)
    return (
        ending
        if isinstance(ending, Refused)
        else write_game(make_header(table), list_move_lines(table, 0, len(table.moves)), ending)
    )


def export_page(table: Table, since: int, sign: Callable[[Table], str]) -> ExportReply | Refused:
    """Export a page of a finished game: the lines after the first `since`; `sign` makes the last line of all."""
    ending = _ending_of(table)
    if isinstance(ending, Refused):
        return ending
    count = len(table.moves) + 3
    end = min(count, since + PAGE)
    header = [] if since else [make_header(table)]
    moves = list_move_lines(table, max(0, since - 1), min(count - 3, end - 1))
    endings = [ending] if since < count - 1 <= end else []
    signature = [sign(table)] if since < count == end else []
    return ExportReply(lines=[*write_lines([*header, *moves, *endings]), *signature], line_count=count)


def export_to(table: Table, user: UserId, since: int, sign: Callable[[Table], str]) -> ExportReply | Refused:
    """Export a page of a finished game for a user, or refuse it to users who may not enter the table.

    All players who had a seat in it may, also those who left or were kicked.
    """
    if is_sealed(table):
        return Refused(Code.DEAL_SEALED, "The seed of this deal is revealed when all tables have played it.")
    if table.opened.deal and not table.unsealed:
        # It is exported by its deal, once that is over.
        return Refused(Code.DEAL_SEALED, "The seed of a daily deal is revealed when its time is over.")
    if table.status == "finished":
        closed = None if user in users_of(table) else refuse_entry(table, user)
    else:
        closed = watch_refusal(table, Watcher(user, ""))
    return closed or export_page(table, since, sign)


def _ending_of(table: Table) -> RecordedOutcome | Refused:
    outcome = table.game.outcome(table.state) if table.status == "finished" else None
    if outcome is None:
        return Refused(Code.NOT_FINISHED, "The game at this table is not over yet; it can be exported afterwards.")
    return RecordedOutcome(scores=[*outcome.scores], places=[*outcome.places], reason=outcome.reason)


def make_header(table: Table) -> Header:
    """Make the first line of a started game, that of a finished one as it was when the game ended."""
    opened, seats = table.opened, table.final_seats or table.seats
    return Header(
        game=opened.game,
        rules_version=opened.rules_version,
        options=opened.options,
        table=opened.deal_name,
        seats=[
            Sitter(
                name=seat_state.name,
                kind="bot" if seat_state.user is None else "human",
                claimed=True if seat_state.claimed else UNSET,
                level=bot_level(table, Seat(seat)) if seat_state.user is None else UNSET,
            )
            for seat, seat_state in enumerate(seats)
        ],
        commitment=opened.commitment,
        nonces=[nonce.hex() or None for nonce in table.nonces],
        nonce_hashes=[seat_state.nonce_hash.hex() or None for seat_state in seats],
        server_seed=opened.seed.hex(),
        started=datetime.fromtimestamp(table.started_ms // 1000, UTC),
        dealer=UNSET if opened.dealer is None else opened.dealer,
        server_key=opened.server_key.hex() or UNSET,
        commitment_signature=opened.commitment_signature.hex() or UNSET,
    )


def list_move_lines(table: Table, first: int, last: int) -> list[MoveLine]:
    """List the lines of the moves after the first `first`, up to the `last`."""
    return [
        MoveLine(n=n, seat=made.seat, move=made.move, mover=made.mover, at_ms=max(0, made.at_ms - table.started_ms))
        for n, made in enumerate(table.moves[first:last], first + 1)
    ]
