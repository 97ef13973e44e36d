"""Bots that adapt: of the level at which this user wins two games of five, by their finished games against bots.

The client chooses, since it has the user's games from every server; the table is opened with the levels that it chose.
"""

import asyncio
from collections.abc import Callable, Container, Iterable, Sequence
from itertools import zip_longest
from typing import Any, Final, NamedTuple

from scoville_shared.protocol.messages import Finished, GameInfo, TableInfo

ADAPTIVE: Final = "adaptive"
"""The name of this choice among the levels of bots; no server knows it."""
REMATCH_FEATURE: Final = "rematch_bot_levels"
"""The feature of servers at which a rematch can have other bots."""

_FIRST: Final = "casual"
"""The level for a user without any game: a player who has just read the rules loses to a sensible bot."""
_UP: Final = 0.3
_DOWN: Final = 0.2
"""Parts of a level after a game that was won or lost: at two wins of five they cancel out, 2 * 0.3 = 3 * 0.2."""
_SEARCHING: Final = 6
"""First games after which the level moves twice as far: it is not known yet."""
_NEAR: Final = 0.75
"""Within so many levels of the user's own a result says something: a loser to masters may be sensible."""
MOST_GAMES: Final = 40
"""The latest games that count: a beginner of last year is none today."""


class BotGame(NamedTuple):
    """A finished game against bots: its table, the levels of the bots, and whether the user won."""

    table: str
    levels: tuple[str, ...]
    won: bool


def estimate_level(games: Iterable[BotGame], offered: Sequence[str]) -> float:
    """Estimate at which of the `offered` levels, the weakest first, a user wins two of five; oldest game first."""
    at = float(offered.index(_FIRST)) if _FIRST in offered else (len(offered) - 1) / 2
    for number, game in enumerate(games):
        known = [offered.index(level) for level in game.levels if level in offered]
        if not known:
            continue
        gap = sum(known) / len(known) - at
        step = (_UP if game.won else -_DOWN) * (2 if number < _SEARCHING else 1)
        if gap > -_NEAR if game.won else gap < _NEAR:
            at = min(max(at + step, 0.0), len(offered) - 1.0)
    return at


def spread_level(level: float, offered: Sequence[str], seats: int, turn: int) -> list[str]:
    """Spread a level between two offered ones over the seats of a table: so many bots are of the upper one.

    `turn` moves the stronger ones by a seat: who sits behind the user matters more than how many there are.
    """
    lower = min(int(level), len(offered) - 1)
    upper = min(lower + 1, len(offered) - 1)
    stronger = round((level - lower) * (seats - 1))
    # The user sits on the first seat, whose level counts if they leave it to a bot.
    bots = [offered[upper if (seat + turn) % (seats - 1) < stronger else lower] for seat in range(seats - 1)]
    return [offered[lower], *bots]


class AdaptiveBots:
    """Chooses the bots of this user's tables where they asked for adaptive ones, on a server with these `games`.

    `list_past` returns the kept games of a kind, oldest first; where nothing is kept, those of this session count.
    """

    def __init__(self, games: Callable[[], Sequence[GameInfo]], features: Callable[[], Container[str]]) -> None:
        self.list_past: Callable[[str], Sequence[BotGame]] = lambda _game: ()
        self._games = games
        self._features = features
        self._played: dict[str, dict[str, BotGame]] = {}
        self._tables: set[str] = set()

    def note_result(self, info: TableInfo, seat: int | None, result: Finished | None) -> None:
        """Note how a game of this user ended, once it has."""
        # A hostile server may name fewer places than there are seats.
        if result is not None and seat is not None and seat < len(result.places):
            levels = tuple(sitter.level for sitter in info.seats if sitter.level is not None)
            game = BotGame(info.table, levels, result.places[seat] == 1)
            self._played.setdefault(info.game, {}).setdefault(info.table, game)

    def note_table(self, table: str, *, before: str = "") -> None:
        """Note that the bots of a table were chosen here; of a rematch, if those of the table `before` it were."""
        if not before or before in self._tables:
            self._tables.add(table)

    async def choose_bots(self, settings: dict[str, Any], game: str, seats: int) -> dict[str, Any]:
        """Return the fields of TableSettings for a table of so many seats, with the levels in place of `ADAPTIVE`."""
        if settings.get("bot_level") != ADAPTIVE or not (chosen := await self._choose_levels(game, seats)):
            return settings
        own = settings.get("bot_levels", [])[:seats]
        levels = [of_seat or level for of_seat, level in zip_longest(own, chosen)]
        return {**settings, "bot_level": chosen[0], "bot_levels": levels}

    async def choose_for_rematch(self, info: TableInfo, seat: int | None) -> list[str | None] | None:
        """Choose the bots of the rematch of a table, whose host this user is; None for the same ones."""
        if info.table not in self._tables or seat is None or seat != info.host:
            return None
        if REMATCH_FEATURE not in self._features():
            return None
        return [*await self._choose_levels(info.game, len(info.seats))] or None

    async def _choose_levels(self, game: str, seats: int) -> list[str]:
        """Choose the level of the bot at each seat; nothing for a game that the server does not offer."""
        offered = next((info.levels for info in self._games() if info.slug == game), [])
        if not offered:
            return []
        # A folder with a thousand games takes a moment, and the screen goes on meanwhile.
        past = {each.table: each for each in await asyncio.to_thread(self.list_past, game)}
        games = [*(past | self._played.get(game, {})).values()][-MOST_GAMES:]
        return spread_level(estimate_level(games, offered), offered, seats, len(games))
