"""Quick match: a seat at once, at a table without a host that starts automatically."""

import asyncio
from collections.abc import Awaitable, Callable

from scoville_server.accounts.sessions import User
from scoville_server.tables.actor import TableActor
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.factory import TableFactory
from scoville_server.tables.model.table import Table
from scoville_server.tables.registry import TableRegistry
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import CreateRequest

SitDown = Callable[[TableActor], Awaitable[Seat]]
Open = Callable[[CreateRequest], Awaitable[TableActor]]

_MISSED = {Code.TABLE_FULL, Code.ALREADY_STARTED, Code.UNKNOWN_TABLE, Code.KICKED}
"""Refusals of a table that looked free a moment ago."""


class QuickMatch:
    """Matches users who want to play, one request after the other."""

    def __init__(self, registry: TableRegistry, catalog: GameCatalog, factory: TableFactory) -> None:
        self._registry = registry
        self._catalog = catalog
        self._factory = factory
        self._one_at_a_time = asyncio.Lock()

    async def seat(self, user: User, game: str, sit_down: SitDown, open_table: Open) -> tuple[TableActor, Seat]:
        """Seat a user at a waiting table of `game` (any game if empty), or at a new one. Raises ScovilleError."""
        if game:
            self._catalog.game(game)
        async with self._one_at_a_time:
            await asyncio.sleep(0)  # among very many tables a search takes milliseconds: other work runs between two
            for actor in self._waiting(user, game):
                try:
                    return actor, await sit_down(actor)
                except ScovilleError as error:
                    if error.code not in _MISSED:
                        raise
            actor = await open_table(self._factory.for_anybody(game or self._catalog.slugs()[0]))
            return actor, await sit_down(actor)

    def _waiting(self, user: User, game: str) -> list[TableActor]:
        """List the suitable tables: where the user is seated already, then the fullest, then the oldest."""
        fitting = [actor for actor in self._registry.lobby.all() if self._fits(actor.table, user, game)]
        return sorted(fitting, key=lambda actor: (actor.table.seat_of(user.id) is None, -len(actor.table.human_seats)))

    def _fits(self, table: Table, user: User, game: str) -> bool:
        opened = table.opened
        return (
            table.status == "waiting"
            and table.closed is None
            and game in ("", opened.game)
            and not (opened.settings.private or table.locked)
            and opened.settings.hostless
            and (opened.settings.start == "full" or opened.settings.fill_ms is not None)
            and table.admits(user.id)
            and bool(table.free or table.seat_of(user.id) is not None)
            and opened.options == self._catalog.options(opened.game, {})
            and opened.clock == self._factory.clock  # without one the game is not rated, and nobody chose another
        )
