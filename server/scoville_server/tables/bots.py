"""Bots at a table. A bot gets its seat's View, its seat's facts and its own randomness, never the game's state."""

import hmac
import logging
from collections.abc import Callable
from typing import Any, Literal

from scoville_server.tables.model.commands import PlayForSeat
from scoville_server.tables.model.table import Table
from scoville_shared.bots.base import Bot
from scoville_shared.bots.registry import find_bot
from scoville_shared.engine.dice import Dice, Stream
from scoville_shared.ids import Seat

_log = logging.getLogger(__name__)


class SeatBots:
    """The bots of one table, by seat.

    Each is a cache: a bot that is made later, after a restart or a takeover, observes the same facts since the deal
    and chooses the same moves.
    """

    def __init__(self) -> None:
        self._bots: dict[Seat, Bot] = {}
        self._observed: dict[Seat, int] = {}

    def think(
        self,
        table: Table,
        seat: Seat,
        answer: Callable[[PlayForSeat], object],
        by: Literal["bot", "clock"] = "bot",
    ) -> None:
        """Let the bot of a pending seat choose a move and pass the command to `answer`, now or later.

        `by` names the caller: the bot's seat, or a clock. Every level that is offered today decides within a
        millisecond, so it runs right here.
        """
        move = self._chosen(table, seat, table.game.view(table.state, seat))
        answer(PlayForSeat(seat=seat, move=table.game.codec.plain(move), nth=table.played[seat], mover=by))

    def _chosen(self, table: Table, seat: Seat, view: Any) -> Any:
        try:
            move = self._informed(table, seat).choose(view, chance(table, seat))
        except Exception:  # noqa: BLE001 - whatever goes wrong inside a bot, the table plays on
            _log.exception("table %s: the %s bot of seat %d failed", table.id, table.strength, seat)
            self._bots.pop(seat, None)
            self._observed.pop(seat, None)
            return table.game.fallback(view)
        if table.game.check(table.state, seat, move) is not None:
            _log.error("table %s: the %s bot of seat %d chose an illegal move", table.id, table.strength, seat)
            return table.game.fallback(view)
        return move

    def _informed(self, table: Table, seat: Seat) -> Bot:
        """Return the bot of a seat after it has observed what the seat has been sent."""
        bot = self._bots.get(seat)
        if bot is None:
            bot = self._bots[seat] = find_bot(table.opened.game, table.strength)(table.game)
        if bot.remembers:
            for recorded in table.reading(self._observed.get(seat, 0)):
                for to, fact in recorded.facts:
                    if to is None or to == seat:
                        bot.observe(table.game.codec.fact(fact))
            self._observed[seat] = table.seq
        return bot


def chance(table: Table, seat: Seat) -> Stream:
    """Return the random stream of a bot's next move: apart from the game's randomness, and the same after a restart."""
    key = hmac.digest(table.opened.seed, b"scoville/bots", "sha256")
    return Dice(key).stream(f"bot/{seat}/{table.played[seat]}")
