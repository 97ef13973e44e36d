"""Default tables: for each configured game one table is always open to all users."""

import logging
from collections import defaultdict
from functools import partial
from typing import Final

from scoville_runtime.back_off import BackOff
from scoville_runtime.clock import Alarm
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.journal.base import JournalError
from scoville_server.limits.live import Live
from scoville_server.nodes.directory import QUICK_MATCH
from scoville_server.nodes.nodes import Nodes
from scoville_server.tables.access import TableAccess
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.factory import QuickTables, TableFactory
from scoville_server.tables.model.table import SERVER_USER, Table
from scoville_server.tables.observers import Change, TableObserver
from scoville_server.tables.registry import TableRegistry
from scoville_shared.errors import Code, ScovilleError

SETTLED_SECONDS: Final = 2.0
"""How long a node that joins others waits until it has heard of all of them."""

_log = logging.getLogger(__name__)


class DefaultTables(TableObserver):
    """Opens the next default table of a game when one starts or is removed. One of several nodes does so."""

    observed = frozenset({Change.STATUS, Change.OWNER})

    def __init__(
        self,
        registry: TableRegistry,
        access: TableAccess,
        factory: TableFactory,
        background: BackgroundTasks,
        games: Live[tuple[str, ...]],
    ) -> None:
        self._registry = registry
        self._access = access
        self._factory = factory
        self._background = background
        self._games = games
        self._opening: set[str] = set()
        self._delays: defaultdict[str, BackOff] = defaultdict(registry.new_back_off)
        self._retries: dict[str, Alarm] = {}
        self._closing = False
        games.follow(self._follow_games)
        factory.live_quick.follow(self._follow_clock)

    def begin_opening(self, nodes: Nodes[TableActor]) -> None:
        """Open the tables that are missing now, and whenever this node is to open them from then on."""
        nodes.members.follow_returns(lambda _: self._follow_nodes())
        nodes.members.follow_losses(lambda _: self._follow_nodes())
        if nodes.joins:
            # It knows the others only in a moment.
            self._registry.clock.call_later(SETTLED_SECONDS, self._follow_nodes)
        else:
            self.open_missing_tables()

    def _follow_nodes(self) -> None:
        """Open missing tables, or remove the unused ones where another node opens them."""
        if self._opens_here():
            self.open_missing_tables()
            return
        for actor in self._unused_tables():
            self._remove_if_unused(actor)

    def _opens_here(self) -> bool:
        return self._registry.directory.find_doer(QUICK_MATCH) is None

    def _remove_if_unused(self, actor: TableActor) -> None:
        is_unused = _waits_for(actor.table, actor.table.opened.game) and not actor.table.human_seats
        if is_unused and not actor.watched.awaits_adoption:
            self._registry.remove_table(actor)

    def _is_doubled(self, taken_over: TableActor) -> bool:
        """Whether this node has opened another one meanwhile: it cannot know what it will take over."""
        game = taken_over.table.opened.game
        return game in self._opening or any(
            actor is not taken_over and _waits_for(actor.table, game) for actor in self._registry.tables.all_tables()
        )

    def open_missing_tables(self) -> None:
        for game in self._games.value:
            self._open_if_missing(game)

    def _follow_games(self, games: tuple[str, ...]) -> None:
        """Open the tables that are wanted now, and remove the unused ones that are not."""
        for actor in self._unused_tables():
            if actor.table.opened.game not in games:
                self._registry.remove_table(actor)
        self.open_missing_tables()

    def _follow_clock(self, _: QuickTables) -> None:
        """Replace empty tables by ones with the present clock."""
        # Each removal opens the next one, which has the present clock.
        for actor in self._unused_tables():
            self._registry.remove_table(actor)

    def _unused_tables(self) -> list[TableActor]:
        tables = self._registry.tables.all_tables()
        return [
            actor
            for actor in tables
            if _waits_for(actor.table, actor.table.opened.game) and not actor.table.human_seats
        ]

    def table_changed(self, actor: TableActor, done: Done) -> None:
        if is_default_table(done.after):
            if done.before.status != done.after.status:
                self._open_if_missing(done.after.opened.game)
            is_taken_over = done.before.owner != done.after.owner
            if is_taken_over and (not self._opens_here() or self._is_doubled(actor)):
                self._remove_if_unused(actor)

    def table_removed(self, actor: TableActor) -> None:
        if is_default_table(actor.table):
            self._open_if_missing(actor.table.opened.game)

    def table_moved(self, actor: TableActor) -> None:
        """The table is not missing: another node has it."""

    def stop_opening(self) -> None:
        self._closing = True
        for retry in self._retries.values():
            retry.cancel()

    def _open_if_missing(self, game: str) -> None:
        busy = game in self._opening or game in self._retries
        wanted = game in self._games.value and not busy and not self._closing and self._opens_here()
        if wanted and not any(_waits_for(actor.table, game) for actor in self._registry.tables.all_tables()):
            self._opening.add(game)
            self._background.start_task(self._open_table(game))

    async def _open_table(self, game: str) -> None:
        try:
            with self._access.reserved_code() as code:
                await self._registry.open_table(self._factory.records_of_default_table(game, code))
        except JournalError as error:
            _log.warning("There is no default table for %s yet: %s", game, error.message)
            self._try_later(game)
        except ScovilleError as error:
            if error.code == Code.SHUTTING_DOWN:
                return
            _log.error("There is no default table for %s: %s", game, error.message)
        else:
            self._delays[game].start_over()
        finally:
            self._opening.discard(game)

    def _try_later(self, game: str) -> None:
        if not self._closing:
            seconds = self._delays[game].next_wait()
            self._retries[game] = self._registry.clock.call_later(seconds, partial(self._try_again, game))

    def _try_again(self, game: str) -> None:
        del self._retries[game]
        self._open_if_missing(game)


def is_default_table(table: Table) -> bool:
    return table.opened.user == SERVER_USER


def _waits_for(table: Table, game: str) -> bool:
    waiting = table.status == "waiting" and table.closed is None
    return is_default_table(table) and table.opened.game == game and waiting
