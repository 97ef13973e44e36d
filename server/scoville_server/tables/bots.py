"""Bots at a table. A bot gets its seat's View and its own randomness, never the game's state."""

import hmac
import logging
from collections.abc import Callable
from typing import Any, Literal

from scoville_server.tables.model.commands import PlayForSeat
from scoville_server.tables.model.table import Table
from scoville_shared.bots.base import find_bot
from scoville_shared.engine.dice import Dice, Stream
from scoville_shared.ids import Seat

_log = logging.getLogger(__name__)


def think(
    table: Table, seat: Seat, answer: Callable[[PlayForSeat], object], by: Literal["bot", "clock"] = "bot"
) -> None:
    """Let the bot of a pending seat choose a move and pass the command to `answer`, now or later.

    `by` names the caller: the bot's seat, or a clock. Every bot today decides within microseconds, so it runs right
    here. One that searches belongs into a process of its own; only this function would change.
    """
    view = table.game.view(table.state, seat)
    move = _chosen(table, seat, view)
    answer(PlayForSeat(seat=seat, move=table.game.codec.plain(move), nth=table.played[seat], mover=by))


def chance(table: Table, seat: Seat) -> Stream:
    """Return the random stream of a bot's next move: apart from the game's randomness, and the same after a restart."""
    key = hmac.digest(table.opened.seed, b"scoville/bots", "sha256")
    return Dice(key).stream(f"bot/{seat}/{table.played[seat]}")


def _chosen(table: Table, seat: Seat, view: Any) -> Any:
    bot = find_bot(table.opened.game, table.strength)
    try:
        move = bot(table.game, view, chance(table, seat))
    except Exception:  # noqa: BLE001 - whatever goes wrong inside a bot, the table plays on
        _log.exception("table %s: the %s bot of seat %d failed", table.id, table.strength, seat)
        return table.game.fallback(view)
    if table.game.check(table.state, seat, move) is not None:
        _log.error("table %s: the %s bot of seat %d chose an illegal move", table.id, table.strength, seat)
        return table.game.fallback(view)
    return move
